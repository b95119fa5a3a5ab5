import CommandLanguage
import JSON
import Testing

@Suite("Without a network")
struct OfflineTests {
    private func contact(_ steps: [(at: Int64, isUnreachable: Bool)]) throws -> SourceContact {
        var contact: SourceContact?
        for (at, isUnreachable) in steps {
            contact = SourceContact(after: contact, isUnreachable: isUnreachable, at: at)
        }
        return try #require(contact)
    }

    @Test("A source is out of reach since the first failure behind its last success")
    func since() throws {
        #expect(try contact([(1, false)]).unreachableSince == nil)
        #expect(try contact([(1, false), (2, true), (3, true)]).unreachableSince == 2)
        #expect(try contact([(1, true), (2, false)]).unreachableSince == nil)
        #expect(try contact([(1, true), (2, false), (5, true)]).unreachableSince == 5)
        let written = try contact([(1, true), (4, true)])
        #expect(SourceContact(written.json) == written)
        #expect(SourceContact(.null) == nil)
        #expect(SourceContact(nil) == nil)
    }

    @Test("Syncs and transfers together: the later one says whether, a success of either since when")
    func combined() throws {
        let failing = try contact([(10, true), (20, true)])
        let reached = try contact([(15, false)])
        let recovered = try contact([(25, false)])
        let alsoFailing = try contact([(5, true), (12, true)])
        #expect(failing.combined(with: nil).unreachableSince == 10)
        #expect(failing.combined(with: reached).unreachableSince == 15)
        #expect(reached.combined(with: failing).unreachableSince == 15)
        #expect(failing.combined(with: recovered).unreachableSince == nil)
        #expect(failing.combined(with: alsoFailing).unreachableSince == 5)
    }

    @Test("It is offline when every source is out of reach, since the last of them became so")
    func all() throws {
        let failing = try contact([(10, true)])
        let later = try contact([(30, true)])
        let reached = try contact([(40, false)])
        #expect(SourceContact.offlineSince([]) == nil)
        #expect(SourceContact.offlineSince([failing, later]) == 30)
        #expect(SourceContact.offlineSince([failing, reached]) == nil)
    }

    @Test("The line for people says since when, and what can be read")
    func line() {
        var report = StatusReport(
            profile: "default", version: "1",
            paths: .init(catalog: "c", cache: "k", log: "l", configuration: "f", socket: "s"))
        #expect(report.offlineLine(now: 0, offset: 0) == nil)
        #expect(report.json["offline"] == false)
        report.isOffline = true
        // 2026-11-30T13:05:00Z
        report.offlineSince = 1_796_043_900
        report.catalog.onShelf = 89
        report.catalog.readable = 12
        #expect(
            report.offlineLine(now: 1_796_043_960, offset: 3_600)
                == "offline since 14:05; 12 of 89 books can be read, the rest when the network is back")
        #expect(
            report.offlineLine(now: 1_796_143_960, offset: 3_600)
                == "offline since 2026-11-30 14:05; 12 of 89 books can be read, the rest when the network is back")
        report.catalog.readable = 89
        #expect(report.offlineLine(now: 1_796_043_960, offset: 0) == "offline since 13:05; every book can be read")
        #expect(report.json["offline"] == true)
        #expect(report.json["offlineSince"] == "2026-11-30T13:05:00Z")
    }
}

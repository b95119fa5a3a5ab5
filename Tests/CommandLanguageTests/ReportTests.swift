import CommandLanguage
import JSON
import Shelf
import Testing

@Suite("Reports")
struct ReportTests {
    @Test("A book of which little is known has every key")
    func emptyBook() {
        let book = BookDescription(id: BookID(rawValue: 7), title: "Oblomov", source: "shop", state: .unsized)
        #expect(
            keys(book.json) == [
                "id", "title", "author", "authors", "authorSort", "categories", "series", "seriesIndex", "language",
                "isbn",
                "publisher", "description", "isPurchased", "isSample", "purchasedAt", "lastReadAt", "source",
                "fileName", "paths",
                "byteCount", "sha256", "modifiedAt", "state", "isPinned", "rating", "note", "progress",
            ])
        #expect(book.json["id"] == 7)
        #expect(book.json["series"] == .null)
        #expect(book.json["author"] == "")
        #expect(book.json["authors"] == [])
        #expect(keys(book.json(contents: [])).last == "contents")
    }

    @Test("What happened to the driver is told to people, and is no key of the document")
    func incidents() {
        var report = StatusReport(
            profile: "default", version: "1",
            paths: StatusReport.Paths(catalog: "", cache: "", log: "", configuration: "", socket: ""))
        let document = report.json
        report.incidents = [
            StatusReport.Incident(
                part: "worker", at: 1_796_025_600, words: "signal 11, SIGSEGV", gap: .milliseconds(8)),
            StatusReport.Incident(part: "announcer", at: 1_796_025_600, words: "signal 9, SIGKILL", gap: nil),
        ]
        #expect(report.json == document)
        #expect(
            report.incidents.map(\.line) == [
                "The worker of the mount ended at 2026-11-30T08:00:00Z: signal 11, SIGSEGV; readers waited for 8 ms",
                "The announcer of the mount ended at 2026-11-30T08:00:00Z: signal 9, SIGKILL",
            ])
    }

    @Test("A book of which much is known has its authors joined and its times in UTC")
    func fullBook() {
        var book = BookDescription(id: BookID(rawValue: 7), title: "Monday", source: "shop", state: .local)
        book.authors = [Author(name: "Arkady"), Author(name: "Boris", sortName: "B")]
        book.purchasedAt = 1_796_025_600
        book.seriesIndex = 2.5
        book.paths = ["Fiction/Monday.epub"]
        #expect(book.json["author"] == "Arkady & Boris")
        #expect(book.json["authors"] == ["Arkady", "Boris"])
        #expect(book.json["purchasedAt"] == "2026-11-30T08:00:00Z")
        #expect(book.json["seriesIndex"] == 2.5)
        #expect(book.json["state"] == "local")
        #expect(book.json(contents: ["One"])["contents"] == ["One"])
    }

    @Test("The status has every key of the documentation")
    func status() {
        let paths = StatusReport.Paths(catalog: "c", cache: "k", log: "l", configuration: "f", socket: "s")
        var report = StatusReport(profile: "default", version: "1", paths: paths)
        report.sources = [.init(name: "shop", kind: "opds", state: .never)]
        report.mounts = [.init(path: "/mnt", processID: 7, isReadOnly: false)]
        report.transfers.byProgram = [.init(name: "cp", requests: 1, byteCount: 2)]
        let error = ContentError.unreachable(reason: "no route")
        report.errors = [
            .init(
                book: BookID(rawValue: 7), symbol: error.symbol, reason: error.reason, advice: error.advice, at: 0)
        ]
        let json = report.json
        #expect(
            keys(json) == [
                "profile", "version", "catalog", "index", "cache", "sources", "mounts", "transfers", "errors", "outbox",
                "offline",
                "offlineSince", "paths",
            ])
        #expect(keys(json["catalog"]) == ["books", "purchased", "anchor"])
        #expect(keys(json["index"]) == ["pending"])
        #expect(keys(json["cache"]) == ["bytes", "files", "limitBytes", "pinned"])
        #expect(
            keys(json["sources"]?.arrayValue?.first) == ["name", "kind", "state", "lastSync", "lastError", "account"])
        #expect(keys(json["mounts"]?.arrayValue?.first) == ["path", "pid", "workerPid", "since", "readOnly"])
        #expect(keys(json["transfers"]) == ["requests", "bytes", "active", "byProgram"])
        #expect(keys(json["transfers"]?["byProgram"]?.arrayValue?.first) == ["program", "requests", "bytes"])
        #expect(keys(json["errors"]?.arrayValue?.first) == ["id", "path", "errno", "reason", "advice", "at"])
        #expect(json["errors"]?.arrayValue?.first?["errno"] == "EHOSTUNREACH")
        #expect(keys(json["outbox"]) == ["pending"])
        #expect(keys(json["paths"]) == ["catalog", "cache", "log", "config", "socket"])
        #expect(json["offlineSince"] == .null)
    }

    @Test("A sync tells each source's counts, what was skipped and why one failed")
    func sync() {
        var summary = SyncSummary()
        summary.added = 3
        summary.skipped = [SkippedRecord(number: 2, key: "x", reason: "no title")]
        let json = SyncReport.json([
            SyncReport(source: "shop", result: .success(summary)),
            SyncReport(source: "library", result: .failure(.unreachable(reason: "no route"))),
        ])
        let sources = json["sources"]?.arrayValue ?? []
        #expect(
            keys(sources.first) == [
                "name", "added", "updated", "removed", "unchanged", "skipped", "notModified", "error",
            ])
        #expect(sources.first?["added"] == 3)
        #expect(sources.first?["skipped"] == [["record": 2, "reason": "no title"]])
        #expect(sources.first?["error"] == .null)
        #expect(sources.last?["error"] == "no route")
        #expect(sources.last?["added"] == 0)
    }

    @Test("A document for a terminal has nothing that a terminal obeys, and is the same document")
    func terminalText() throws {
        let json: JSONValue = ["title": "a\u{1B}[31m\u{9B}b\u{7F}\u{202E}红楼梦\n", "n": 1]
        for isIndented in [false, true] {
            let text = json.terminalText(isIndented: isIndented)
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
            #expect(!text.unicodeScalars.contains("\u{202E}"))
            #expect(text.contains("红楼梦"))
            #expect(try JSONValue(parsing: text) == json)
        }
    }

    private func keys(_ json: JSONValue?) -> [String] {
        json?.objectValue?.members.map(\.key) ?? []
    }
}

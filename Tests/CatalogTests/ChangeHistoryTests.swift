import Catalog
import Shelf
import Testing

@Suite("Change history")
struct ChangeHistoryTests {
    @Test("Every change of the tree is in the history, in an order that can be followed")
    func follows() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2", category: "Poems"), book("3")])
        let first = try #require(try catalog.version(at: "Novels/Title 1.epub")?.id)
        let anchor = try catalog.anchor()
        try catalog.replace([
            book("1", size: 2_000), book("3", title: "Renamed"), book("4", category: "Essays"),
        ])
        let second = try #require(try catalog.version(at: "Novels/Title 1.epub")?.id)
        let changes = try #require(try catalog.changes(after: anchor))
        func has(_ matches: (Change) -> Bool) -> Bool { changes.contains(where: matches) }
        #expect(has { if case .entryReplaced(_, "Title 1.epub", second, first) = $0 { true } else { false } })
        #expect(has { if case .entryRemoved(_, "Title 2.epub", _) = $0 { true } else { false } })
        #expect(has { if case .entryRemoved(_, "Title 3.epub", _) = $0 { true } else { false } })
        #expect(has { if case .entryAdded(_, "Renamed.epub", _) = $0 { true } else { false } })
        #expect(has { if case .directoryRemoved(_, .root, "Poems") = $0 { true } else { false } })
        let made = try #require(
            changes.firstIndex { if case .directoryAdded(_, .root, "Essays") = $0 { true } else { false } })
        let filled = try #require(
            changes.firstIndex { if case .entryAdded(_, "Title 4.epub", _) = $0 { true } else { false } })
        #expect(made < filled)
    }

    @Test("An anchor that the history no longer reaches, or never reached, has expired")
    func expires() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        let old = try catalog.anchor()
        try catalog.replace((1...20_500).map { book("\($0)") })
        #expect(try catalog.changes(after: old) == nil)
        let now = try catalog.anchor()
        #expect(now > old)
        #expect(try catalog.changes(after: now) == [])
        #expect(try catalog.changes(after: SyncAnchor(rawValue: now.rawValue + 1)) == nil)
    }
}

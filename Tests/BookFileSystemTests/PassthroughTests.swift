import BookFileSystem
import ContentCache
import FUSE
import Foundation
import Log
import SharedMemory
import Shelf
import Synchronization
import Testing

/// What a kernel is handed, by number.
private final class RecordedKernel: PassthroughBooks.Kernel {
    private struct State {
        var open: Set<Int32> = []
        var last: Int32 = 0
        var refuses = false
    }

    private let state = Mutex(State())

    /// The numbers that are good now.
    var numbers: Set<Int32> { state.withLock { $0.open } }

    func refuseAll() { state.withLock { $0.refuses = true } }

    func register(_ descriptor: Int32) throws(Errno) -> BackingID {
        try state.withLock { state throws(Errno) in
            if state.refuses { throw Errno(rawValue: ELOOP) }
            state.last += 1
            state.open.insert(state.last)
            return BackingID(rawValue: state.last)
        }
    }

    func withdraw(_ id: BackingID) { state.withLock { _ = $0.open.remove(id.rawValue) } }
}

/// A tree whose books a kernel may read by itself, and the files of its cache.
private final class PassthroughFixture {
    let tree: TreeFixture
    let kernel = RecordedKernel()
    let table: BackingTable
    private(set) var served: BookTree

    init(_ keys: String...) throws {
        tree = try TreeFixture()
        try tree.replace(keys.map { book($0) })
        table = BackingTable(in: try SharedRegion(wordCount: BackingTable.wordCount))
        served = try tree.tree()
        try restart()
    }

    /// Goes on with the next worker, which knows of the last only what memory that they share says.
    func restart() throws {
        served = try tree.tree(
            PassthroughBooks(kernel: kernel, table: table, openVersions: tree.openVersions, log: .silent))
    }

    func inode(_ key: String) throws -> Inode {
        let novels = try #require(try served.entry("Novels", in: .root)).attributes.inode
        return try #require(try served.entry("Title \(key).epub", in: novels)).attributes.inode
    }

    /// Puts a book on disk as if it had been fetched.
    func makeLocal(_ key: String) throws {
        try tree.makeLocal(try #require(BookTree.version(of: try inode(key))), byteCount: 1_000)
    }

    func file(_ key: String) throws -> URL {
        tree.contentFile(of: try #require(BookTree.version(of: try inode(key))))
    }

    @discardableResult
    func open(_ key: String) throws -> OpenAnswer {
        try served.open(try inode(key), flags: OpenFlags(rawValue: O_RDONLY), caller: reader)
    }

    func close(_ key: String) throws {
        let inode = try inode(key)
        served.release(inode, handle: 0)
    }
}

@Suite("Passthrough")
struct PassthroughTests {
    @Test("All opens of a local book get one number, which is taken back with the last of them")
    func sharesNumber() throws {
        let fixture = try PassthroughFixture("1", "2")
        try fixture.makeLocal("1")
        try fixture.makeLocal("2")
        let first = try #require(try fixture.open("1").backing)
        #expect(try fixture.open("1").backing == first)
        let other = try #require(try fixture.open("2").backing)
        #expect(other != first)
        try fixture.close("1")
        #expect(fixture.kernel.numbers == [first.rawValue, other.rawValue])
        #expect(try fixture.open("1").backing == first)
        try fixture.close("1")
        try fixture.close("1")
        #expect(fixture.kernel.numbers == [other.rawValue])
        #expect(try fixture.open("1").backing != first)
    }

    @Test("The kernel is told to keep no pages of a book that it reads by itself: it refuses the open otherwise")
    func options() throws {
        let fixture = try PassthroughFixture("1")
        #expect(try fixture.open("1").options == [.keepsCache, .skipsFlush])
        try fixture.close("1")
        try fixture.makeLocal("1")
        #expect(try fixture.open("1").options == .skipsFlush)
    }

    @Test("A placeholder stays read through the driver until all have closed it, though it became local")
    func staysCached() throws {
        let fixture = try PassthroughFixture("1")
        #expect(try fixture.open("1").backing == nil)
        try fixture.makeLocal("1")
        #expect(try fixture.open("1").backing == nil)
        try fixture.close("1")
        #expect(try fixture.open("1").backing == nil)
        try fixture.close("1")
        try fixture.close("1")
        #expect(try fixture.open("1").backing != nil)
    }

    @Test("The next worker gives out the number that the last had, and takes it back at the end")
    func survivesWorker() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        let first = try #require(try fixture.open("1").backing)
        try fixture.restart()
        #expect(try fixture.open("1").backing == first)
        try fixture.close("1")
        try fixture.close("1")
        #expect(fixture.kernel.numbers.isEmpty)
    }

    @Test("A worker killed before it registers leaves a book to the driver, behind the last close a number to replace")
    func killedBetween() throws {
        let fixture = try PassthroughFixture("1", "2")
        try fixture.makeLocal("1")
        try fixture.makeLocal("2")
        // Counted, and killed: the kernel asks again.
        fixture.tree.count(try #require(BookTree.version(of: try fixture.inode("1"))), up: true)
        try fixture.restart()
        #expect(try fixture.open("1").backing == nil)
        // Counted down to nothing, and killed.
        let first = try #require(try fixture.open("2").backing)
        fixture.tree.count(try #require(BookTree.version(of: try fixture.inode("2"))), up: false)
        try fixture.restart()
        let second = try #require(try fixture.open("2").backing)
        #expect(second != first)
        #expect(fixture.kernel.numbers == [second.rawValue])
    }

    @Test("A book removed from disk while it is open is opened as it was, by the worker that knows it")
    func removed() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        let first = try #require(try fixture.open("1").backing)
        try FileManager.default.removeItem(at: try fixture.file("1"))
        #expect(try fixture.open("1").backing == first)
        try fixture.close("1")
        try fixture.close("1")
        #expect(try fixture.open("1").backing == nil)
    }

    @Test("A book damaged on disk while it is open is opened by nobody else, nor counted, and gets another identity")
    func damaged() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        try fixture.open("1")
        let handle = try FileHandle(forWritingTo: try fixture.file("1"))
        try handle.write(contentsOf: Data([1, 2, 3]))
        for _ in 0..<2 { #expect(throws: Errno.staleHandle) { try fixture.open("1") } }
        try fixture.close("1")
        #expect(fixture.kernel.numbers.isEmpty)
        // What was damaged is gone: the next open fetches.
        #expect(try fixture.open("1").backing == nil)
    }

    @Test("Where the kernel takes no file, books are opened as without passthrough")
    func refused() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        fixture.kernel.refuseAll()
        #expect(try fixture.open("1").backing == nil)
        #expect(try fixture.open("1").backing == nil)
        try fixture.close("1")
    }

    @Test("Once an open could not be counted, no book begins to be passed through")
    func uncounted() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        let version = try #require(BookTree.version(of: try fixture.inode("1")))
        fixture.tree.fillCounts(around: version, true)
        fixture.tree.count(version, up: true)
        #expect(!fixture.tree.openVersions.isOpen(version))
        #expect(try fixture.open("1").backing == nil)
        fixture.tree.fillCounts(around: version, false)
        #expect(try fixture.open("1").backing == nil)
    }

    @Test("Opens and closes from many threads never mix two modes, and leave nothing")
    func parallel() throws {
        let fixture = try PassthroughFixture("1")
        try fixture.makeLocal("1")
        let (inode, tree) = (try fixture.inode("1"), fixture.served)
        // What the kernel would have open: never with two numbers, or with none beside one.
        let open = Mutex<[BackingID?: Int]>([:])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<2_000 {
                guard let answer = try? tree.open(inode, flags: OpenFlags(rawValue: O_RDONLY), caller: reader) else {
                    Issue.record("an open failed")
                    return
                }
                let isMixed = open.withLock { open in
                    open[answer.backing, default: 0] += 1
                    return open.filter { $0.value > 0 }.count > 1
                }
                #expect(!isMixed)
                open.withLock { $0[answer.backing, default: 0] -= 1 }
                tree.release(inode, handle: answer.handle)
            }
        }
        #expect(fixture.kernel.numbers.isEmpty)
    }
}

import FUSE
import Glibc
import Synchronization

/// A small tree in memory, served for tests.
///
/// ```
/// /Fiction/Content.bin    1 MiB, from a file on disk
/// /Fiction/Parked.bin     64 KiB, whose reads wait for the file `gate`
/// /Fiction/Memory.txt     from memory, with extended attributes
/// /Fiction/Broken.bin     shorter on disk than its size says
/// /Many/                  10,000 files
/// /Waiting/               40 files like Parked.bin
/// ```
///
/// Once there is a file `pass`, the kernel is let read Content.bin by itself.
///
/// What happened is appended to the file `events`. The thread whose number is in the file `announcer` may announce.
final class FixtureFileSystem: FileSystemOperations {
    struct Node: Sendable {
        let inode: Inode
        let kind: FileKind
        var name: String
        var parent: Inode
        var byteCount: Int64
    }

    private struct State {
        var nodes: [Inode: Node] = [:]
        var children: [Inode: [Inode]] = [:]
        var backings: BackingFiles?
        var backing: BackingID?
        var parked: [(read: ParkedRead, offset: Int64)] = []
    }

    static let fiction = Inode(rawValue: 16)
    static let many = Inode(rawValue: 32)
    static let waiting = Inode(rawValue: 48)
    static let content = Inode(rawValue: 17)
    static let parked = Inode(rawValue: 33)
    static let memory = Inode(rawValue: 49)
    static let broken = Inode(rawValue: 65)
    static let text = Array("Written in memory.\n".utf8)

    private let directory: String
    private let content: CInt
    private let state: Mutex<State>

    /// - Parameter directory: With the file `content`, and for the files by which tests and this talk.
    init(in directory: String) {
        self.directory = directory
        content = unsafe Glibc.open("\(directory)/content", O_RDONLY | O_CLOEXEC)
        var initial = State()
        func add(_ inode: Inode, _ kind: FileKind, _ name: String, in parent: Inode, _ byteCount: Int64) {
            initial.nodes[inode] = Node(inode: inode, kind: kind, name: name, parent: parent, byteCount: byteCount)
            if inode != .root { initial.children[parent, default: []].append(inode) }
        }
        add(.root, .directory, "", in: .root, 4096)
        add(Self.fiction, .directory, "Fiction", in: .root, 4096)
        add(Self.many, .directory, "Many", in: .root, 4096)
        add(Self.content, .regularFile, "Content.bin", in: Self.fiction, 1 << 20)
        add(Self.parked, .regularFile, "Parked.bin", in: Self.fiction, 64 << 10)
        add(Self.memory, .regularFile, "Memory.txt", in: Self.fiction, Int64(Self.text.count))
        add(Self.broken, .regularFile, "Broken.bin", in: Self.fiction, 2 << 20)
        for number in 0..<10_000 {
            let inode = Inode(rawValue: UInt64(number + 100) << 4 | 1)
            add(inode, .regularFile, "\(number).bin", in: Self.many, Int64(number))
        }
        add(Self.waiting, .directory, "Waiting", in: .root, 4096)
        for number in 0..<40 {
            let inode = Inode(rawValue: UInt64(number + 20_000) << 4 | 1)
            add(inode, .regularFile, "\(number).bin", in: Self.waiting, 64 << 10)
        }
        state = Mutex(initial)
    }

    /// Names the way to hand files to the kernel.
    func link(_ backings: BackingFiles) {
        state.withLock { $0.backings = backings }
    }

    /// The number of the content, once the kernel is to read it by itself.
    private func backing() -> BackingID? {
        guard unsafe access("\(directory)/pass", F_OK) == 0 else { return nil }
        return state.withLock { state in
            if state.backing == nil {
                do throws(Errno) {
                    state.backing = try state.backings?.register(content)
                } catch {
                    record("register \(error.message)")
                }
            }
            return state.backing
        }
    }

    /// Answers the reads that wait.
    func releaseParked() {
        let parked = state.withLock { state in
            defer { state.parked = [] }
            return state.parked
        }
        let descriptor = unsafe Glibc.open("\(directory)/content", O_RDONLY | O_CLOEXEC)
        for (read, offset) in parked {
            read.answer(FileRange(descriptor: descriptor, offset: offset, byteCount: 64 << 10 - Int(offset)))
        }
        close(descriptor)
    }

    /// Changes the tree, as a sync would.
    func setByteCount(_ byteCount: Int64, of inode: Inode) {
        state.withLock { $0.nodes[inode]?.byteCount = byteCount }
    }

    func addFile(_ name: String, in parent: Inode, as inode: Inode) {
        state.withLock { state in
            state.nodes[inode] = Node(inode: inode, kind: .regularFile, name: name, parent: parent, byteCount: 10)
            state.children[parent, default: []].append(inode)
        }
    }

    func remove(_ inode: Inode) {
        state.withLock { state in
            guard let node = state.nodes.removeValue(forKey: inode) else { return }
            state.children[node.parent]?.removeAll { $0 == inode }
        }
    }

    func record(_ event: String) {
        let file = unsafe Glibc.open("\(directory)/events", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let line = Array("\(event)\n".utf8)
        unsafe write(file, line, line.count)
        close(file)
    }

    // MARK: - Requests

    func lookup(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> LookupAnswer {
        let name = Self.string(name)
        let found = try state.withLock { state throws(Errno) -> Node? in
            guard let directory = state.nodes[parent] else { throw .staleHandle }
            if name == "." { return directory }
            if name == ".." { return state.nodes[directory.parent] }
            guard directory.kind == .directory else { throw .notADirectory }
            if parent == Self.many {
                guard let number = UInt64(name.dropLast(4)), number < 10_000 else { return nil }
                return state.nodes[Inode(rawValue: (number + 100) << 4 | 1)]
            }
            let children = (state.children[parent] ?? []).compactMap { state.nodes[$0] }
            return children.first { $0.name == name }
        }
        guard let found else {
            record("absent \(name)")
            return .absent(validity: isAnnouncer(caller) ? .zero : .seconds(3600))
        }
        return .found(entry(found))
    }

    func attributes(of inode: Inode, caller: Caller) throws(Errno) -> AttributesAnswer {
        guard let node = state.withLock({ $0.nodes[inode] }) else { throw .staleHandle }
        return AttributesAnswer(entry(node).attributes, validity: .seconds(3600))
    }

    func open(_ inode: Inode, flags: OpenFlags, caller: Caller) throws(Errno) -> OpenAnswer {
        record("open \(inode.rawValue)")
        if inode == Self.content, let backing = backing() {
            return OpenAnswer(handle: inode.rawValue + 1, options: .skipsFlush, backing: backing)
        }
        return OpenAnswer(handle: inode.rawValue + 1, options: [.keepsCache, .skipsFlush])
    }

    func read(_ request: consuming ReadRequest) {
        record("read \(request.inode.rawValue)")
        if request.inode == Self.memory {
            let start = min(Int(request.offset), Self.text.count)
            let end = min(start + request.byteCount, Self.text.count)
            let bytes = Array(Self.text[start..<end])
            return request.answer(copying: bytes.span)
        }
        let waits = request.inode == Self.parked || request.inode.rawValue >= 20_000 << 4
        if waits, unsafe access("\(directory)/gate", F_OK) != 0 {
            record("park \(request.offset)+\(request.byteCount) \(request.handle)")
            let offset = request.offset
            let read = request.park { [self] in record("interrupt") }
            return state.withLock { $0.parked.append((read, offset)) }
        }
        guard let node = state.withLock({ [inode = request.inode] in $0.nodes[inode] }) else {
            return request.fail(with: .staleHandle)
        }
        let count = max(0, min(Int64(request.byteCount), node.byteCount - request.offset))
        let range = FileRange(descriptor: content, offset: request.offset, byteCount: Int(count))
        request.answer(range)
    }

    func release(_ inode: Inode, handle: UInt64) {
        record("release \(inode.rawValue) \(handle)")
    }

    func openDirectory(_ inode: Inode, caller: Caller) throws(Errno) -> OpenAnswer {
        OpenAnswer(handle: 0, options: [.keepsCache, .cachesListing])
    }

    func readDirectory(
        _ inode: Inode, handle: UInt64, after cookie: UInt64, into buffer: inout DirectoryBuffer
    ) throws(Errno) {
        record("list \(inode.rawValue) after \(cookie)")
        let (node, children) = state.withLock { ($0.nodes[inode], $0.children[inode] ?? []) }
        guard let node else { throw .staleHandle }
        var next = cookie
        while next < UInt64(children.count) + 2 {
            let isAdded: Bool
            switch next {
            case 0: isAdded = buffer.add([UInt8(ascii: ".")].span, inode, .directory, cookie: 1)
            case 1: isAdded = buffer.add(Array("..".utf8).span, node.parent, .directory, cookie: 2)
            default:
                guard let child = state.withLock({ $0.nodes[children[Int(next - 2)]] }) else { throw .inputOutput }
                isAdded = buffer.add(Array(child.name.utf8).span, entry(child), cookie: next + 1)
            }
            if !isAdded { return }
            next += 1
        }
    }

    func statistics() throws(Errno) -> FileSystemStatistics {
        FileSystemStatistics(blockByteCount: 4096, blockCount: 1000, freeBlockCount: 0, fileCount: 10_006)
    }

    func extendedAttribute(_ name: Span<UInt8>, of inode: Inode, caller: Caller) throws(Errno) -> [UInt8] {
        guard inode == Self.memory else { throw .noData }
        switch Self.string(name) {
        case "user.mime_type": return Array("text/plain".utf8)
        case "user.empty": return []
        default: throw .noData
        }
    }

    func extendedAttributeNames(of inode: Inode, caller: Caller) throws(Errno) -> [String] {
        inode == Self.memory ? ["user.mime_type", "user.empty"] : []
    }

    // MARK: - Announcements

    func makeNode(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry {
        guard isAnnouncer(caller) else { throw .readOnlyFileSystem }
        let name = Self.string(name)
        record("mknod \(name)")
        addFile(name, in: parent, as: Inode(rawValue: 81))
        guard let node = state.withLock({ $0.nodes[Inode(rawValue: 81)] }) else { throw .inputOutput }
        return entry(node)
    }

    func removeFile(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) {
        guard isAnnouncer(caller) else { throw .readOnlyFileSystem }
        record("unlink \(Self.string(name))")
        remove(Inode(rawValue: 81))
    }

    private func isAnnouncer(_ caller: Caller) -> Bool {
        let file = unsafe Glibc.open("\(directory)/announcer", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var digits = [UInt8](repeating: 0, count: 16)
        let count = unsafe Glibc.read(file, &digits, 16)
        return Int32(String(decoding: digits.prefix(max(0, count)), as: UTF8.self)) == caller.processID
    }

    private func entry(_ node: Node) -> Entry {
        let date = Timestamp(seconds: 1_600_000_000, nanoseconds: 5)
        let attributes = Attributes(
            inode: node.inode, kind: node.kind, permissions: node.kind == .directory ? 0o755 : 0o444,
            byteCount: node.byteCount, linkCount: node.kind == .directory ? 2 : 1, userID: getuid(),
            groupID: getgid(), modifiedAt: date, changedAt: date, accessedAt: date)
        return Entry(attributes, entryValidity: .seconds(3600), attributeValidity: .seconds(3600))
    }

    private static func string(_ name: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in name.indices { bytes.append(name[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

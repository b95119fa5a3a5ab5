import FUSE
import Foundation
import Testing

@Suite("Mount errors")
struct MountErrorTests {
    @Test("A descriptor that isn't open can't be served")
    func refusesClosedDescriptor() throws {
        var bytes = [UInt8](repeating: 0, count: 104)
        bytes[0] = 104
        bytes[4] = 26
        let initRequest = try #require(InitRequest(bytes))
        #expect(throws: MountError.cannotServe(reason: "descriptor 9999 isn't open")) {
            try FileSystemServer(descriptor: 9999, initRequest: initRequest, fileSystem: EmptyFileSystem())
        }
    }

    @Test("Where nothing of FUSE is mounted nothing is adopted")
    func adoptsNothing() throws {
        var bytes = [UInt8](repeating: 0, count: 104)
        bytes[0] = 104
        bytes[4] = 26
        let initRequest = try #require(InitRequest(bytes))
        let descriptor = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        var failure: MountError?
        do {
            _ = try MountedDevice(adopting: descriptor, mountedOn: "/", initRequest: initRequest)
        } catch {
            failure = error
        }
        #expect(failure == .notMounted(path: "/"))
        #expect(fcntl(descriptor, F_GETFD) == -1)
    }
}

/// A file system that has nothing.
private struct EmptyFileSystem: FileSystemOperations {
    func lookup(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> LookupAnswer {
        .absent(validity: .zero)
    }

    func attributes(of inode: Inode, caller: Caller) throws(Errno) -> AttributesAnswer { throw .staleHandle }

    func open(_ inode: Inode, flags: OpenFlags, caller: Caller) throws(Errno) -> OpenAnswer { throw .staleHandle }

    func read(_ request: consuming ReadRequest) { request.fail(with: .staleHandle) }

    func release(_ inode: Inode, handle: UInt64) {}

    func openDirectory(_ inode: Inode, caller: Caller) throws(Errno) -> OpenAnswer { throw .staleHandle }

    func readDirectory(
        _ inode: Inode, handle: UInt64, after cookie: UInt64, into buffer: inout DirectoryBuffer
    ) throws(Errno) {}

    func statistics() throws(Errno) -> FileSystemStatistics { throw .inputOutput }
}

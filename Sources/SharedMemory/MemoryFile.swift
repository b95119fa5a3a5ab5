internal import CSharedMemory
internal import Glibc

/// A file that lies in memory and has no name: gone with its last descriptor.
package enum MemoryFile {
    /// Makes an empty one.
    ///
    /// - Returns: Open for reading and writing, closed on exec; the caller closes it.
    /// - Throws: ``SharedMemoryError/callFailed(name:errno:)``, as memfd_create(2) gives it.
    package static func open() throws(SharedMemoryError) -> CInt {
        let descriptor = unsafe memfd_create("bookshelf-content", UInt32(CSHAREDMEMORY_MFD_CLOEXEC))
        guard descriptor >= 0 else { throw .callFailed(name: "memfd_create", errno: errno) }
        return descriptor
    }
}

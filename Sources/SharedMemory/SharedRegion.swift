internal import CSharedMemory
internal import Glibc
internal import Synchronization

/// Memory of a fixed size that processes share, and that outlives the one which wrote it.
///
/// It lives as long as any process has its descriptor open or it mapped. It begins as zeros, and pages that nobody
/// touches cost nothing. Its size is sealed, so that no other process can take a mapped page away.
///
/// Words are read and written as a whole, whoever is killed when. Runs of bytes aren't: one process writes them, then
/// publishes that in a word; a reader looks at the word first.
///
/// See memfd_create(2).
@safe package final class SharedRegion: Sendable {
    /// Valid from `init` to `deinit`; never written.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Open as long as this is; closed on exec unless that is taken off, as posix_spawn's `adddup2` to the same number
    /// does.
    package let descriptor: CInt

    /// A multiple of 8.
    package let byteCount: Int

    /// Makes new memory.
    ///
    /// - Parameter wordCount: Of 8 bytes each.
    /// - Throws: ``SharedMemoryError/callFailed(name:errno:)``.
    package convenience init(wordCount: Int) throws(SharedMemoryError) {
        precondition(wordCount > 0, "memory without a word")
        let flags = UInt32(CSHAREDMEMORY_MFD_CLOEXEC | CSHAREDMEMORY_MFD_ALLOW_SEALING)
        let descriptor = unsafe memfd_create("bookshelf", flags)
        guard descriptor >= 0 else { throw .callFailed(name: "memfd_create", errno: errno) }
        let seals = CSHAREDMEMORY_F_SEAL_SEAL | CSHAREDMEMORY_F_SEAL_SHRINK | CSHAREDMEMORY_F_SEAL_GROW
        guard ftruncate(descriptor, off_t(wordCount * 8)) == 0,
            fcntl(descriptor, CSHAREDMEMORY_F_ADD_SEALS, seals) == 0
        else {
            let failure = errno
            close(descriptor)
            throw .callFailed(name: "ftruncate", errno: failure)
        }
        try self.init(descriptor: descriptor, wordCount: wordCount)
    }

    /// Opens memory that another process made.
    ///
    /// - Parameters:
    ///   - descriptor: Inherited from that process; closed with this, or at once if this throws. Children of this process
    ///     don't inherit it unless they are meant to.
    ///   - wordCount: What it was made with.
    /// - Throws: ``SharedMemoryError/notARegion(descriptor:)``, ``SharedMemoryError/callFailed(name:errno:)``.
    package init(descriptor: CInt, wordCount: Int) throws(SharedMemoryError) {
        var status = stat()
        let seals = fcntl(descriptor, CSHAREDMEMORY_F_GET_SEALS)
        guard unsafe fstat(descriptor, &status) == 0, Int(status.st_size) == wordCount * 8, wordCount > 0, seals >= 0,
            seals & CSHAREDMEMORY_F_SEAL_SHRINK != 0
        else {
            close(descriptor)
            throw .notARegion(descriptor: descriptor)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let mapped = unsafe mmap(nil, wordCount * 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            let failure = errno
            close(descriptor)
            throw .callFailed(name: "mmap", errno: failure)
        }
        unsafe mapped.bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
        unsafe memory = mapped
        self.descriptor = descriptor
        byteCount = wordCount * 8
    }

    deinit {
        unsafe munmap(memory, byteCount)
        close(descriptor)
    }

    /// How many words of 8 bytes there are.
    package var wordCount: Int { byteCount / 8 }

    /// Reads a word; sees what was written before it, by whichever process.
    package func load(_ index: Int) -> UInt64 {
        unsafe word(index).pointee.load(ordering: .sequentiallyConsistent)
    }

    /// Writes a word.
    package func store(_ value: UInt64, at index: Int) {
        unsafe word(index).pointee.store(value, ordering: .sequentiallyConsistent)
    }

    /// Replaces a word if it is what was expected.
    ///
    /// - Returns: Whether it was, and what it was.
    package func compareExchange(
        _ index: Int, expected: UInt64, desired: UInt64
    ) -> (exchanged: Bool, original: UInt64) {
        unsafe word(index).pointee.compareExchange(
            expected: expected, desired: desired, ordering: .sequentiallyConsistent)
    }

    /// Adds to a word, around the end if it must be.
    ///
    /// - Returns: The new value.
    @discardableResult
    package func add(_ value: UInt64, to index: Int) -> UInt64 {
        unsafe word(index).pointee.wrappingAdd(value, ordering: .sequentiallyConsistent).newValue
    }

    /// Makes everything zero again, word by word.
    package func clear() {
        for index in 0..<wordCount where load(index) != 0 { store(0, at: index) }
    }

    /// Where some of the words lie in this process, for who can't go through this type: the handler of a signal.
    ///
    /// - Parameters:
    ///   - index: The first of them.
    ///   - count: Must fit.
    /// - Returns: Valid as long as this is.
    @unsafe package func address(of index: Int, count: Int) -> UnsafeMutableRawPointer {
        precondition(index >= 0 && count >= 0 && index <= wordCount && count <= wordCount - index, "outside the memory")
        return unsafe memory + index * 8
    }

    /// Copies bytes in.
    ///
    /// - Parameters:
    ///   - bytes: Must fit.
    ///   - offset: In bytes from the start.
    package func write(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && offset <= byteCount && bytes.count <= byteCount - offset, "outside the memory")
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe memory.advanced(by: offset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Copies bytes out.
    ///
    /// - Parameters:
    ///   - count: Must fit.
    ///   - offset: In bytes from the start.
    /// - Returns: `count` bytes.
    package func read(_ count: Int, at offset: Int) -> [UInt8] {
        precondition(offset >= 0 && offset <= byteCount, "outside the memory")
        precondition(count >= 0 && count <= byteCount - offset, "outside the memory")
        return unsafe Array(UnsafeRawBufferPointer(start: memory + offset, count: count))
    }

    @unsafe private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        precondition(index >= 0 && index < wordCount, "outside the memory")
        return unsafe (memory + index * 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

import Foundation
import SharedMemory
import Testing

@Suite("Shared memory")
struct SharedRegionTests {
    @Test("What one mapping writes, another of the same memory reads")
    func twoMappings() throws {
        let first = try SharedRegion(wordCount: 1024)
        let second = try SharedRegion(descriptor: dup(first.descriptor), wordCount: 1024)
        first.store(7, at: 3)
        #expect(second.load(3) == 7)
        #expect(second.add(5, to: 3) == 12)
        #expect(first.compareExchange(3, expected: 7, desired: 1) == (false, 12))
        #expect(first.compareExchange(3, expected: 12, desired: 1) == (true, 12))
        let bytes = Array("bytes of a string".utf8)
        second.write(bytes.span, at: 100)
        #expect(first.read(bytes.count, at: 100) == bytes)
    }

    @Test("Memory begins as zeros and keeps what was written after its writer has let go")
    func outlivesWriter() throws {
        let kept: CInt
        do {
            let writer = try SharedRegion(wordCount: 8)
            #expect((0..<8).allSatisfy { writer.load($0) == 0 })
            writer.store(.max, at: 7)
            kept = dup(writer.descriptor)
        }
        #expect(try SharedRegion(descriptor: kept, wordCount: 8).load(7) == .max)
    }

    @Test("Cleared memory is zeros again, for everybody who has it mapped")
    func clears() throws {
        let region = try SharedRegion(wordCount: 700)
        let other = try SharedRegion(descriptor: dup(region.descriptor), wordCount: 700)
        for index in [0, 1, 699] { region.store(7, at: index) }
        other.clear()
        #expect((0..<700).allSatisfy { region.load($0) == 0 })
    }

    @Test("Memory outlives the process that wrote it")
    func outlivesProcess() throws {
        let region = try SharedRegion(wordCount: 512)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/dd")
        writer.arguments = ["bs=8", "seek=2", "conv=notrunc", "status=none", "of=/proc/self/fd/1"]
        let input = Pipe()
        writer.standardInput = input
        writer.standardOutput = FileHandle(fileDescriptor: region.descriptor)
        try writer.run()
        input.fileHandleForWriting.write(Data([1, 2, 3, 4, 5, 6, 7, 8]))
        try input.fileHandleForWriting.close()
        writer.waitUntilExit()
        #expect(writer.terminationStatus == 0)
        #expect(region.load(2) == 0x0807_0605_0403_0201)
        #expect(region.load(1) == 0 && region.load(3) == 0)
    }

    @Test("A descriptor of anything else is refused, and so is another size")
    func refusesOthers() throws {
        let region = try SharedRegion(wordCount: 16)
        #expect(throws: SharedMemoryError.self) { try SharedRegion(descriptor: dup(region.descriptor), wordCount: 17) }
        let device = unsafe open("/dev/zero", O_RDWR | O_CLOEXEC)
        #expect(throws: SharedMemoryError.self) { try SharedRegion(descriptor: device, wordCount: 16) }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { unsafe unlink(path) }
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        ftruncate(file, 128)
        #expect(throws: SharedMemoryError.self) { try SharedRegion(descriptor: file, wordCount: 16) }
    }

    @Test("Nobody can take a page away from those who have it mapped")
    func sizeIsSealed() throws {
        let region = try SharedRegion(wordCount: 1024)
        #expect(ftruncate(region.descriptor, 0) == -1)
        #expect(errno == EPERM)
        #expect(region.load(1023) == 0)
    }

    @Test("Children don't inherit the memory unless it is handed to them")
    func isClosedOnExec() throws {
        let region = try SharedRegion(wordCount: 16)
        #expect(fcntl(region.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("Memory that nobody touched costs nothing")
    func isSparse() throws {
        let region = try SharedRegion(wordCount: 1 << 20)
        region.store(1, at: 1 << 19)
        var status = stat()
        unsafe fstat(region.descriptor, &status)
        #expect(status.st_size == 8 << 20)
        #expect(status.st_blocks * 512 <= 64 << 10)
    }
}

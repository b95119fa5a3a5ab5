import Archive
import Foundation
import Testing

@Suite("ZIP archives")
final class ArchiveTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private func file(_ bytes: [UInt8]) throws -> String {
        let file = directory.appending(path: UUID().uuidString)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// An archive with one entry that is stored.
    private func archive(_ name: String, _ content: [UInt8], statedByteCount: Int? = nil) -> [UInt8] {
        let stated = statedByteCount ?? content.count
        let sum = checksum(content)
        let sizes = number(sum, 4) + number(stated, 4) + number(stated, 4)
        let local =
            number(0x0403_4B50, 4) + number(20, 2) + number(0, 8) + sizes + number(name.utf8.count, 2) + number(0, 2)
        let start = local + Array(name.utf8) + content
        let central =
            number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(0, 8) + sizes + number(name.utf8.count, 2)
            + number(0, 12) + number(0, 4) + Array(name.utf8)
        let end =
            number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(central.count, 4)
            + number(start.count, 4) + number(0, 2)
        return start + central + end
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    private func checksum(_ bytes: [UInt8]) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(sum ^ 0xFFFF_FFFF)
    }

    private func content(_ path: String, of name: String = "a.txt", limit: Int = 1_000_000) throws(ArchiveError)
        -> [UInt8]
    {
        let archive = try ZIPArchive(path)
        return try archive.content(of: name, limit: limit)
    }

    @Test("An entry is read by its name, also in other letters")
    func reads() throws {
        let path = try file(archive("a.txt", Array("content".utf8)))
        #expect(try content(path) == Array("content".utf8))
        #expect(try content(path, of: "A.TXT") == Array("content".utf8))
        #expect(throws: ArchiveError.missing(name: "b.txt")) { try content(path, of: "b.txt") }
        #expect(try ZIPArchive(path).byteCount == Int64(try Data(contentsOf: URL(filePath: path)).count))
    }

    @Test("More than may be read is an error, and so is a size or a sum that is wrong")
    func limits() throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let path = try file(archive("a.txt", bytes))
        #expect(try content(path, limit: 100_000) == bytes)
        #expect(throws: ArchiveError.self) { try content(path, limit: 99_999) }
        #expect(throws: ArchiveError.self) { try content(try file(archive("a.txt", bytes, statedByteCount: 100_001))) }
        var damaged = archive("a.txt", bytes)
        damaged[500] = 8
        #expect(throws: ArchiveError.self) { try content(try file(damaged)) }
    }

    @Test("What is cut off, from 1 byte to all but one, isn't whole")
    func cutOff() throws {
        let whole = archive("a.txt", Array("content".utf8))
        for count in 0..<whole.count {
            let path = try file(Array(whole[..<count]))
            let error = #expect(throws: ArchiveError.self) { try content(path) }
            #expect(error == .notWhole, "\(count) bytes")
        }
    }

    @Test("A directory that states too much of itself is refused before it is read")
    func directories() throws {
        var many = archive("a.txt", Array("content".utf8))
        let end = many.count - 22
        many.replaceSubrange(end + 10..<end + 12, with: number(60_000, 2))
        #expect(throws: ArchiveError.notWhole) { try content(try file(many)) }
        var long = archive("a.txt", Array("content".utf8))
        long.replaceSubrange(end + 12..<end + 16, with: number(64 << 20, 4))
        #expect(throws: ArchiveError.tooLarge(reason: "its directory is too long")) { try content(try file(long)) }
    }

    @Test("Only regular files are opened, and no descriptor stays open")
    func kinds() throws {
        let pipe = directory.appending(path: "pipe").path
        let made = unsafe mkfifo(pipe, 0o600)
        #expect(made == 0)
        #expect(throws: ArchiveError.self) { try content(pipe) }
        #expect(throws: ArchiveError.self) { try content(directory.path) }
        #expect(throws: ArchiveError.self) { try content(directory.path + "/nothing") }
        let link = directory.path + "/self"
        unsafe symlink("self", link)
        #expect(throws: ArchiveError.self) { try content(link) }
        let own = directory.path
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(own) == true
        }
        #expect(open == [])
    }
}

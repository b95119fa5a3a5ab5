/// A ZIP archive of entries that are stored as they are.
enum StoredArchive {
    static func bytes(_ entries: [(name: String, content: String)]) -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let content = Array(entry.content.utf8)
            let name = Array(entry.name.utf8)
            let sum = checksum(content)
            let sizes = number(sum, 4) + number(content.count, 4) + number(content.count, 4) + number(name.count, 2)
            directory += number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(0, 8) + sizes + number(0, 12)
            directory += number(archive.count, 4) + name
            archive += number(0x0403_4B50, 4) + number(20, 2) + number(0, 8) + sizes + number(0, 2) + name + content
        }
        let end =
            number(entries.count, 2) + number(entries.count, 2) + number(directory.count, 4) + number(archive.count, 4)
        return archive + directory + number(0x0605_4B50, 4) + number(0, 4) + end + number(0, 2)
    }

    /// The lowest bytes of a number, the lowest first.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    /// CRC-32 as in ISO 3309.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(sum ^ 0xFFFF_FFFF)
    }
}

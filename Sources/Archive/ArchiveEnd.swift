internal import Glibc

/// The record at the end of a ZIP archive, which a program that writes one writes last.
///
/// It is looked at before the library is, for two reasons: a file without it isn't whole, and what it states bounds the
/// memory that the directory takes.
///
/// APPNOTE 6.3, section 4.3.16.
struct ArchiveEnd {
    private static var byteCount: Int { 22 }
    private static var maximumCommentByteCount: Int { 65_535 }

    /// How long the directory of an archive may be, in bytes: a hundred thousand files and more.
    private static var maximumDirectoryByteCount: Int64 { 32 << 20 }

    /// Finds the record in a file.
    ///
    /// - Throws: ``ArchiveError/notWhole`` where there is none that can be right, ``ArchiveError/tooLarge(reason:)`` where the
    ///   directory is, or ``ArchiveError/unreadable(reason:)``.
    static func check(_ descriptor: Int32, fileByteCount: Int64) throws(ArchiveError) {
        let count = Int(min(fileByteCount, Int64(byteCount + maximumCommentByteCount)))
        guard count >= byteCount else { throw .notWhole }
        let start = fileByteCount - Int64(count)
        let bytes = try read(descriptor, count: count, at: start)
        for place in stride(from: count - byteCount, through: 0, by: -1) where isRecord(bytes, at: place) {
            return try checkDirectory(bytes, at: place, recordOffset: start + Int64(place))
        }
        throw .notWhole
    }

    /// Whether the signature stands at a place, and the comment behind it isn't cut off.
    private static func isRecord(_ bytes: [UInt8], at place: Int) -> Bool {
        bytes[place] == 0x50 && bytes[place + 1] == 0x4B && bytes[place + 2] == 5 && bytes[place + 3] == 6
            && place + byteCount + Int(number(bytes, at: place + 20, bytes: 2)) <= bytes.count
    }

    private static func checkDirectory(
        _ bytes: [UInt8], at place: Int, recordOffset: Int64
    ) throws(ArchiveError) {
        let entryCount = number(bytes, at: place + 10, bytes: 2)
        let length = number(bytes, at: place + 12, bytes: 4)
        let offset = number(bytes, at: place + 16, bytes: 4)
        let isZip64 = entryCount == 0xFFFF || length == 0xFFFF_FFFF || offset == 0xFFFF_FFFF
        if isZip64 {
            // The larger record says how long; the directory is no longer than what is before it.
            guard recordOffset <= maximumDirectoryByteCount else { throw tooLong }
            return
        }
        guard length <= maximumDirectoryByteCount else { throw tooLong }
        guard offset + length <= recordOffset, entryCount * 46 <= length else { throw .notWhole }
    }

    private static var tooLong: ArchiveError { .tooLarge(reason: "its directory is too long") }

    private static func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> Int64 {
        (0..<count).reduce(0) { $0 | Int64(bytes[place + $1]) << (8 * Int64($1)) }
    }

    private static func read(_ descriptor: Int32, count: Int, at offset: Int64) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).baseAddress, count - done,
                    off_t(offset) + off_t(done))
            }
            if taken < 0, errno == EINTR { continue }
            guard taken >= 0 else { throw .unreadable(reason: unsafe String(cString: strerror(errno))) }
            guard taken > 0 else { throw .notWhole }
            done += taken
        }
        return bytes
    }
}

internal import CProcess
internal import Glibc

/// What a process that crashes writes down of it, in memory that outlives the process.
///
/// See backtrace(3), sigaction(2).
package struct CrashRecord: Sendable, Hashable {
    /// How many words of eight bytes it takes.
    package static var wordCount: Int { Int(cprocess_crash_words) }

    /// As signal(7) numbers it.
    package let signal: Int32

    /// When it was, in nanoseconds of the clock that only goes on.
    package let time: UInt64

    /// What couldn't be accessed or run; `nil` for a signal that somebody sent.
    package let address: UInt64?

    /// Who sent the signal, if somebody did.
    package let sender: Int32?

    /// Where the thread was, the innermost first; none if it didn't come so far.
    package let frames: [UInt64]

    /// Reads what was written down; `nil` for words that nobody has written.
    ///
    /// - Parameter words: ``wordCount`` of them.
    package init?(_ words: [UInt64]) {
        guard words.count == Self.wordCount, words[0] != 0, words[1] != 0 else { return nil }
        signal = Int32(truncatingIfNeeded: words[1])
        time = words[2]
        sender = words[4] == 0 ? nil : Int32(truncatingIfNeeded: words[4])
        address = words[4] == 0 ? words[3] : nil
        frames = Array(words[8...].prefix(Int(min(words[5], UInt64(words.count - 8)))))
    }

    /// Has a crash of this process written down.
    ///
    /// The process then ends by the signal as it would have. A stack that is full leaves no room for this, and nothing is
    /// written.
    ///
    /// - Parameter memory: ``wordCount`` zeros, which stay mapped as long as this process lives.
    package static func record(in memory: UnsafeMutableRawPointer) {
        let words = unsafe memory.bindMemory(to: UInt64.self, capacity: wordCount)
        unsafe cprocess_record_crashes_in(words)
    }

    /// Where the code of this program lies in the memory of this process.
    package static var image: Range<UInt64> {
        cprocess_image_start()..<max(cprocess_image_start(), cprocess_image_end())
    }

    /// An address as `program+0x1234`, which `addr2line -e PROGRAM 0x1234` takes.
    ///
    /// - Parameters:
    ///   - address: Of the process that crashed.
    ///   - image: Where the program lay in that process. Other libraries are named where it lay as it does here, as it
    ///     does in a copy of this process.
    /// - Returns: The place, or the bare address where nothing is known of it.
    package static func place(of address: UInt64, image: Range<UInt64>) -> String {
        if image.contains(address) { return "bookshelf+0x\(String(address - image.lowerBound, radix: 16))" }
        var library = unsafe cprocess_library()
        if image == Self.image, unsafe cprocess_library_at(UnsafeRawPointer(bitPattern: UInt(address)), &library) != 0,
            let path = unsafe library.path
        {
            let name = unsafe String(cString: path).split(separator: "/").last ?? ""
            let base = unsafe UInt64(UInt(bitPattern: library.base))
            return "\(name)+0x\(String(address - base, radix: 16))"
        }
        return "0x\(String(address, radix: 16))"
    }
}

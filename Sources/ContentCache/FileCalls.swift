internal import Glibc

/// The calls of the system by which a cache reaches its files, and what is forced upon them.
///
/// A driver forces nothing, and pays one look at an empty value for each call. A test makes calls fail, as a full or a broken disk
/// would, that it can't have otherwise.
package struct FileCalls: Sendable {
    /// A call that is about to be made.
    package enum Call: Hashable, Sendable {
        /// open(2) of a file that is there.
        case open

        /// open(2) of a file that is made.
        case create

        /// pwrite(2) of so many bytes.
        case write(byteCount: Int)

        /// pread(2).
        case read

        /// fsync(2).
        case synchronise

        /// rename(2), or mkdir(2) for what is renamed.
        case rename
    }

    /// What becomes of a call instead.
    package enum Interference: Hashable, Sendable {
        /// It isn't made, and leaves this number behind: errno(3).
        case fails(Int32)

        /// It is made for that many bytes.
        case stops(after: Int)
    }

    /// Asked before each call; `nil` lets it be made.
    package var interfere: (@Sendable (Call) -> Interference?)?

    package init() {}

    /// Makes a call, again for as long as a signal interrupts it.
    ///
    /// - Parameters:
    ///   - call: Which one.
    ///   - byteCount: How many bytes it is to move.
    ///   - make: Makes it for that many bytes; below 0 it left a number behind.
    /// - Returns: What it returned.
    /// - Throws: The number that it left behind.
    func make(_ call: Call, byteCount: Int = 0, _ make: (_ byteCount: Int) -> Int) throws(SystemError) -> Int {
        while true {
            var allowed = byteCount
            switch interfere?(call) {
            case .fails(EINTR): continue
            case .fails(let number): throw SystemError(number: number)
            case .stops(let count): allowed = min(count, byteCount)
            case nil: break
            }
            let result = make(allowed)
            if result >= 0 { return result }
            if errno != EINTR { throw .current }
        }
    }
}

internal import Glibc
internal import Shelf

/// Converts a document from a named encoding to UTF-8, piece by piece, whatever the borders of the pieces.
///
/// Corresponding C functions: iconv_open(3), iconv(3), iconv_close(3).
@safe struct EncodingConverter: ~Copyable {
    /// What a piece became, and what was wrong behind that.
    struct Result {
        var utf8: [UInt8] = []
        var fault: SourceError?
    }

    /// Valid from init to deinit.
    private let descriptor: iconv_t
    private let name: String

    /// The beginning of a character whose end hasn't come yet.
    private var rest: [UInt8] = []

    /// How many bytes of the document were converted, without those in `rest`.
    private var byteCount = 0

    /// - Throws: ``SourceError/unknownEncoding(_:)``.
    init(from name: String) throws(SourceError) {
        // What follows a slash would change how iconv treats faults; an empty name would mean the locale's encoding.
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0),
            let descriptor = unsafe iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1
        else { throw .unknownEncoding(name) }
        unsafe self.descriptor = descriptor
        self.name = name
    }

    deinit {
        unsafe iconv_close(descriptor)
    }

    /// Converts the next piece; the result takes a small multiple of its length.
    mutating func convert(_ bytes: Span<UInt8>) -> Result {
        var input = rest
        for index in bytes.indices { input.append(bytes[index]) }
        rest = []
        var result = Result()
        var taken = 0
        while taken < input.count {
            let one = unsafe input.withUnsafeBufferPointer { unsafe step(UnsafeBufferPointer(rebasing: $0[taken...])) }
            taken += one.taken
            byteCount += one.taken
            result.utf8 += one.made
            switch one.fault {
            case 0: return result
            case E2BIG: continue
            case EINVAL:
                rest = Array(input[taken...])
                return result
            default:
                result.fault = .malformed(offset: byteCount, reason: "there is something that isn't \(name)")
                return result
            }
        }
        return result
    }

    /// Ends the document.
    mutating func finish() -> Result {
        guard rest.isEmpty else {
            let reason = "the document ends in the middle of a character of \(name)"
            return Result(fault: .malformed(offset: byteCount, reason: reason))
        }
        return Result(utf8: unsafe step(nil).made)
    }

    /// Calls iconv once.
    ///
    /// - Parameter input: `nil` to bring the conversion to its end.
    /// - Returns: How many bytes of the input it took, what it made of them, and the `errno` it ended with, 0 for none.
    private func step(_ input: UnsafeBufferPointer<UInt8>?) -> (taken: Int, made: [UInt8], fault: Int32) {
        let count = unsafe input?.count ?? 0
        // iconv wants a pointer to bytes that it may change, and never changes them.
        var source = unsafe UnsafeMutableRawPointer(mutating: input?.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var left = count
        var fault: Int32 = 0
        let made = unsafe [UInt8](unsafeUninitializedCapacity: 2 * count + 64) { output, made in
            var target = unsafe UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var room = output.count
            let result =
                unsafe input == nil
                ? unsafe iconv(descriptor, nil, nil, &target, &room)
                : unsafe iconv(descriptor, &source, &left, &target, &room)
            if result == -1 { fault = errno }
            made = output.count - room
        }
        return (count - left, made, fault)
    }
}

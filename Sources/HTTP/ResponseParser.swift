/// Makes the head of a response from the lines that libcurl hands over.
///
/// A transfer sees several heads where there are interim responses or authentication; each replaces the last.
struct ResponseParser {
    /// 0 before the first status line.
    private(set) var status = 0
    private(set) var fields: [ResponseHead.Field] = []

    /// Whether the empty line after the fields was seen.
    private(set) var isComplete = false

    private var byteCount = 0

    /// More than any honest server writes.
    private static var maximumByteCount: Int { 256 << 10 }

    /// Takes a line, with its line break.
    ///
    /// - Returns: Whether it is within bounds.
    mutating func take(_ line: Span<UInt8>) -> Bool {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count)
        for index in line.indices { bytes.append(line[index]) }
        let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks
        if text.hasPrefix("HTTP/") {
            self = ResponseParser()
            status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) } ?? 0
        } else if text.isEmpty {
            isComplete = true
        } else if !isComplete, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let name = text[..<colon].trimmingBlanks.lowercased()
            fields.append(.init(name: name, value: text[text.index(after: colon)...].trimmingBlanks))
        }
        byteCount += line.count
        return byteCount <= Self.maximumByteCount
    }

    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Where the response sends the client instead, as it is written there.
    var redirect: String? {
        switch status {
        case 301, 302, 303, 307, 308: self["location"]
        default: nil
        }
    }

    /// Whether the body arrives compressed, so that its length on the way says nothing about it.
    var isEncoded: Bool {
        guard let encoding = self["content-encoding"]?.lowercased() else { return false }
        return encoding != "identity" && !encoding.isEmpty
    }

    /// How long the server wants to be left alone, in seconds, at `now` in seconds since 1970.
    func retryAfter(now: Int64) -> Int64? {
        guard let value = self["retry-after"] else { return nil }
        if let seconds = Int64(value) { return max(0, seconds) }
        return HTTPDate.secondsSince1970(value).map { max(0, $0 - now) }
    }
}

extension StringProtocol {
    /// Without blanks and line breaks around it.
    fileprivate var trimmingBlanks: String {
        let bytes = Array(utf8)
        guard let start = bytes.firstIndex(where: { $0 > 0x20 }), let end = bytes.lastIndex(where: { $0 > 0x20 }) else {
            return ""
        }
        return String(decoding: bytes[start...end], as: UTF8.self)
    }
}

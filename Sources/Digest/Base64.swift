extension Sequence<UInt8> {
    /// Base64 with padding: RFC 4648, section 4.
    package var base64: String {
        encoded(by: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", padding: "=")
    }

    /// Base64 for URLs, without padding: RFC 4648, section 5.
    package var base64URL: String {
        encoded(by: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", padding: "")
    }

    private func encoded(by alphabet: String, padding: String) -> String {
        let alphabet = Array(alphabet.utf8)
        let bytes = Array(self)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<Swift.min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
            text += String(repeating: padding, count: 3 - group.count).utf8
        }
        return String(decoding: text, as: UTF8.self)
    }
}

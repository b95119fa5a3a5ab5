/// The address of a content as anybody may see it: without user name, password, and query, which carry keys.
struct PublicOrigin {
    let text: String

    /// - Returns: `nil` for a file of this machine, whose path is nobody's business.
    init?(of url: String) {
        guard let mark = url.range(ofScheme: "://"), !url.hasPrefix("file:") else { return nil }
        let rest = url[mark.upperBound...]
        let authorityEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let path = rest[authorityEnd...].prefix { $0 != "?" && $0 != "#" }
        text = String(url[..<mark.upperBound]) + host + path
    }
}

extension String {
    /// The first occurrence of `mark`, which is ASCII.
    fileprivate func range(ofScheme mark: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(mark) { return start..<index(start, offsetBy: mark.count) }
            start = index(after: start)
        }
        return nil
    }
}

internal import HTTP
internal import Shelf

extension ContentResponse {
    /// What the head of a response says about the content.
    ///
    /// - Throws: ``ContentError/broken(reason:)`` if it doesn't answer what was asked: RFC 9110, section 15.3.7.
    init(_ head: ResponseHead, asked: ContentRequest) throws(ContentError) {
        switch head.status {
        case 200:
            self.init(
                offset: 0, byteCount: head.contentByteCount, etag: head["etag"], mediaType: head.mediaType,
                isEncoded: head.isEncoded)
        case 206 where asked.isPart:
            guard let range = head["content-range"].flatMap(ContentRange.init), range.first == asked.offset,
                range.last < asked.end ?? .max, !head.isEncoded,
                head.contentByteCount == nil || head.contentByteCount == range.last - range.first + 1
            else {
                throw .broken(reason: "the source answered with another range than it was asked for")
            }
            self.init(
                offset: range.first, byteCount: range.byteCount, etag: head["etag"], mediaType: head.mediaType)
        default:
            throw .broken(reason: "the source answered with status \(head.status) instead of the content")
        }
    }
}

/// The field of that name: RFC 9110, section 14.4.
private struct ContentRange {
    let first: Int64

    let last: Int64

    /// Of the whole content, in bytes; `nil` where the source doesn't say.
    let byteCount: Int64?

    /// - Returns: `nil` if it isn't a range of bytes that makes sense.
    init?(_ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/")
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-").map { Int64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], 0 <= first, first <= last else { return nil }
        self.first = first
        self.last = last
        byteCount = parts[1] == "*" ? nil : Int64(parts[1])
        guard parts[1] == "*" || byteCount.map({ $0 > last }) == true else { return nil }
    }
}

extension ContentRequest {
    /// Whether less than the whole is asked for.
    var isPart: Bool { offset > 0 || end != nil }
}

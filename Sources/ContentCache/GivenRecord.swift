/// What was there to be read of a content that wasn't verified yet, as it is written down.
struct GivenRecord: Equatable {
    /// Of the whole content, in bytes.
    let byteCount: Int64

    /// As the source wrote it, if it vouches for bytes.
    let etag: String?
    private(set) var arrived = ByteRanges()

    private static var firstLine: String { "given content 1" }

    init(_ content: ArrivingContent) {
        byteCount = content.byteCount
        etag = content.etag.flatMap { $0.isStrongValidator ? $0 : nil }
        arrived = content.arrived
    }

    private init(byteCount: Int64) {
        self.byteCount = byteCount
        etag = nil
    }

    /// That of a content to which nothing may be added.
    static var nothing: GivenRecord { GivenRecord(byteCount: 0) }

    /// - Returns: `nil` if there isn't a whole record at the beginning of the text; a longer one may have stood there before.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 3, lines[0] == Self.firstLine, lines[1].hasPrefix("size "),
            let byteCount = Int64(lines[1].dropFirst(5)), lines[2].hasPrefix("etag "),
            let end = lines.firstIndex(of: "end")
        else { return nil }
        self.byteCount = byteCount
        etag = lines[2].count > 5 ? String(lines[2].dropFirst(5)) : nil
        for line in lines[3..<end] {
            let ends = line.split(separator: "-").map { Int64($0) }
            guard ends.count == 2, let start = ends[0], let end = ends[1], 0 <= start, start < end, end <= byteCount
            else { return nil }
            arrived.insert(start..<end)
        }
    }

    var text: String {
        let runs = arrived.runs.map { "\($0.lowerBound)-\($0.upperBound)\n" }
        return "\(Self.firstLine)\nsize \(byteCount)\netag \(etag ?? "")\n\(runs.joined())end\n"
    }
}

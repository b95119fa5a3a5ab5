/// What readers may have of a content that is still arriving.
struct ArrivingContent {
    /// Of the whole content, in bytes.
    let byteCount: Int64

    /// As the source wrote it.
    let etag: String?

    /// As many bytes at the end are for nobody before the whole is verified.
    var keptBackByteCount: Int64

    /// Open for reading.
    var file: CachedFile

    /// What has come.
    var arrived: ByteRanges

    /// How far what readers have got reaches, in bytes.
    var givenEnd: Int64 = 0

    /// Whether all of a range can be read now; what lies beyond the end of the content counts as read where nothing is kept
    /// back.
    func has(_ range: Range<Int64>) -> Bool {
        let end = keptBackByteCount == 0 ? min(range.upperBound, byteCount) : range.upperBound
        guard end <= byteCount - keptBackByteCount else { return false }
        return range.lowerBound >= end || arrived.contains(range.lowerBound..<end)
    }

    /// Notes that a reader gets a range.
    mutating func give(_ range: Range<Int64>) {
        givenEnd = max(givenEnd, min(range.upperBound, byteCount))
    }
}

/// What is known of a stage that outlives its flight: which source said what, and the hash of each block that is whole.
///
/// A block is believed by its hash alone. So nothing has to be synced in any order while content arrives: what a crash, a power
/// cut or a stranger has changed is found when the stage is taken up again, and fetched again.
struct StageRecord: Equatable, Sendable {
    /// Of a block, in bytes; the last may be shorter.
    static var blockByteCount: Int64 { 1 << 20 }

    /// Of the whole content, in bytes.
    let byteCount: Int64

    /// As the source wrote it; only with a strong one can the rest be asked for alone.
    let etag: String?

    /// 64 lower-case hexadecimal digits for each block that is whole, by its number.
    var blocks: [Int64: String] = [:]

    private static var firstLine: String { "staged content 1" }

    init(byteCount: Int64, etag: String?) {
        self.byteCount = byteCount
        self.etag = etag.flatMap { $0.isStrongValidator ? $0 : nil }
    }

    /// - Returns: `nil` if the text isn't a whole record.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, lines[0] == Self.firstLine, lines[lines.count - 2] == "end",
            lines[lines.count - 1] == "",
            lines[1].hasPrefix("size "), let byteCount = Int64(lines[1].dropFirst(5)), byteCount > 0,
            lines[2].hasPrefix("etag ")
        else { return nil }
        self.init(byteCount: byteCount, etag: String(lines[2].dropFirst(5)))
        for line in lines[3..<(lines.count - 2)] {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int64(words[0]), number >= 0, number < blockCount,
                words[1].utf8.count == 64
            else { return nil }
            blocks[number] = String(words[1])
        }
    }

    var text: String {
        let lines = blocks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        return "\(Self.firstLine)\nsize \(byteCount)\netag \(etag ?? "")\n\(lines.joined())end\n"
    }

    private var blockCount: Int64 { (byteCount + Self.blockByteCount - 1) / Self.blockByteCount }

    /// The bytes of a block.
    func range(of block: Int64) -> Range<Int64> {
        let start = block * Self.blockByteCount
        return start..<min(start + Self.blockByteCount, byteCount)
    }

    /// Adds the hashes of the blocks that have arrived whole and have none yet.
    ///
    /// - Returns: Whether all of them could be read.
    mutating func hashNewBlocks(in arrived: ByteRanges, of file: borrowing Descriptor) -> Bool {
        for block in 0..<blockCount where blocks[block] == nil && arrived.contains(range(of: block)) {
            guard let digest = try? file.sha256(of: range(of: block)) else { return false }
            blocks[block] = digest
        }
        return true
    }

    /// The blocks that are in a file as their hashes say.
    func verified(in file: borrowing Descriptor) -> ByteRanges {
        var found = ByteRanges()
        for (block, digest) in blocks where (try? file.sha256(of: range(of: block))) == digest {
            found.insert(range(of: block))
        }
        return found
    }

    /// The blocks that aren't in a file as their hashes say.
    func damagedRanges(in file: borrowing Descriptor) -> [Range<Int64>] {
        let verified = verified(in: file)
        return blocks.keys.map { range(of: $0) }.filter { !verified.contains($0) }
    }

    /// Without the blocks that aren't in `ranges`.
    func keeping(_ ranges: ByteRanges) -> StageRecord {
        var kept = self
        kept.blocks = blocks.filter { ranges.contains(range(of: $0.key)) }
        return kept
    }
}

extension String {
    /// Whether it says that bytes are the same, not only that they mean the same: RFC 9110, section 8.8.1.
    var isStrongValidator: Bool {
        utf8.count >= 2 && utf8.first == UInt8(ascii: "\"") && utf8.last == UInt8(ascii: "\"")
            && utf8.count <= 1_000 && !utf8.contains { $0 < 0x20 }
    }
}

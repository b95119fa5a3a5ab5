/// What is known of a file in the cache, kept beside it.
///
/// It has its place before the file becomes visible, so that a file without a record that fits is none of ours. Until the file is
/// on the disk the record names the start of the system: after a power cut it says nothing any more.
struct ContentRecord: Equatable {
    /// In bytes.
    let byteCount: Int64

    /// Of the file, in nanoseconds since 1970.
    let modifiedAt: Int64

    /// 64 lower-case hexadecimal digits; made here where the source says none.
    let sha256: String

    /// As the source wrote it.
    let etag: String?

    /// The start of the system that the file may not outlive; `nil` once it is on the disk.
    var start: String?

    private static var firstLine: String { "bookshelf content 1" }

    init(byteCount: Int64, modifiedAt: Int64, sha256: String, etag: String?, start: String? = nil) {
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
        self.sha256 = sha256
        self.etag = etag.flatMap { $0.utf8.contains { $0 < 0x20 } ? nil : $0 }
        self.start = start
    }

    /// - Returns: `nil` if the text isn't a whole record.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 6 || lines.count == 7, lines[0] == Self.firstLine, lines.last?.isEmpty == true,
            let byteCount = Self.value("size", in: lines[1]).flatMap({ Int64($0) }),
            let modifiedAt = Self.value("mtime", in: lines[2]).flatMap({ Int64($0) }),
            let sha256 = Self.value("sha256", in: lines[3]), sha256.utf8.count == 64,
            let etag = Self.value("etag", in: lines[4])
        else { return nil }
        let start = lines.count == 7 ? Self.value("until-start-after", in: lines[5]) : nil
        if lines.count == 7, start == nil { return nil }
        self.init(
            byteCount: byteCount, modifiedAt: modifiedAt, sha256: sha256, etag: etag.isEmpty ? nil : etag, start: start)
    }

    var text: String {
        "\(Self.firstLine)\nsize \(byteCount)\nmtime \(modifiedAt)\nsha256 \(sha256)\netag \(etag ?? "")\n"
            + (start.map { "until-start-after \($0)\n" } ?? "")
    }

    /// Whether a file is still the one that the record was written for.
    func fits(_ stamp: FileStamp) -> Bool {
        stamp.byteCount == byteCount && stamp.modifiedAt == modifiedAt
    }

    private static func value(_ name: String, in line: String) -> String? {
        line.hasPrefix(name + " ") ? String(line.dropFirst(name.utf8.count + 1)) : nil
    }
}

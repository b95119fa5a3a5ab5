/// What is known of a file in the cache, kept beside it.
///
/// Written and synced before the file becomes visible, so that a file without a record that fits is none of ours.
struct ContentRecord: Equatable {
    /// In bytes.
    let byteCount: Int64

    /// Of the file, in nanoseconds since 1970.
    let modifiedAt: Int64

    /// 64 lower-case hexadecimal digits; made here where the source says none.
    let sha256: String

    /// As the source wrote it.
    let etag: String?

    private static var firstLine: String { "bookshelf content 1" }

    init(byteCount: Int64, modifiedAt: Int64, sha256: String, etag: String?) {
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
        self.sha256 = sha256
        self.etag = etag.flatMap { $0.utf8.contains { $0 < 0x20 } ? nil : $0 }
    }

    /// - Returns: `nil` if the text isn't a whole record.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 6, lines[0] == Self.firstLine, lines[5].isEmpty,
            let byteCount = Self.value("size", in: lines[1]).flatMap({ Int64($0) }),
            let modifiedAt = Self.value("mtime", in: lines[2]).flatMap({ Int64($0) }),
            let sha256 = Self.value("sha256", in: lines[3]), sha256.utf8.count == 64,
            let etag = Self.value("etag", in: lines[4])
        else { return nil }
        self.init(byteCount: byteCount, modifiedAt: modifiedAt, sha256: sha256, etag: etag.isEmpty ? nil : etag)
    }

    var text: String {
        "\(Self.firstLine)\nsize \(byteCount)\nmtime \(modifiedAt)\nsha256 \(sha256)\netag \(etag ?? "")\n"
    }

    /// Whether a file is still the one that the record was written for.
    func fits(_ stamp: FileStamp) -> Bool {
        stamp.byteCount == byteCount && stamp.modifiedAt == modifiedAt
    }

    private static func value(_ name: String, in line: String) -> String? {
        line.hasPrefix(name + " ") ? String(line.dropFirst(name.utf8.count + 1)) : nil
    }
}

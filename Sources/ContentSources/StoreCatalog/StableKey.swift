internal import Digest
internal import TextForms

/// The key of a book whose record has no `id`: made of what hardly ever changes about it.
///
/// **Fixed for ever**, since it joins the records of later documents to the books of earlier ones. The parts are the
/// title, each author in order, and the ISBN (empty where there is none). Title and authors are trimmed and in the form
/// by which names are compared (NFC of the full case folding); the ISBN is in capitals without blanks and hyphens. Each
/// part is written as its length in bytes, a colon, and itself. The key is `k1:` and the first 32 hexadecimal digits of
/// the SHA-256 of the parts in UTF-8, one after another.
enum StableKey {
    static func make(title: String, authors: [String], isbn: String?) -> String {
        var parts = part(title.foldedForComparison)
        for author in authors { parts += part(author.foldedForComparison) }
        let isbn = (isbn ?? "").filter { $0 != "-" && $0 != " " }.uppercased()
        parts += part(isbn)
        return "k1:" + DigestAlgorithm.sha256.hexadecimal(of: parts).prefix(32)
    }

    private static func part(_ text: String) -> String {
        "\(text.utf8.count):\(text)"
    }
}

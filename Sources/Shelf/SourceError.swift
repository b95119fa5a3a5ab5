/// Why a source's catalog could not be taken.
///
/// Each carries what a person needs to act: `reason` never holds a secret.
package enum SourceError: Error, Hashable, Sendable {
    /// The document can't be parsed to its end.
    ///
    /// - Parameter offset: Where, in bytes from the start of the document.
    case malformed(offset: Int, reason: String)

    /// The document isn't UTF-8 and no encoding was named.
    ///
    /// - Parameters:
    ///   - offset: Of the first byte that can't be, from the start of the document.
    ///   - encoding: What it looks like, for example `UTF-16`; `nil` where that can't be told.
    case notUTF8(offset: Int, encoding: String? = nil)

    /// The encoding named isn't one that this machine knows.
    case unknownEncoding(String)

    /// The document can't be read or reached.
    case unreachable(reason: String)

    /// The source wants a login, or refuses.
    case denied(reason: String)

    /// The source answered something else than a catalog.
    case refused(reason: String)

    /// The catalog database couldn't take the records.
    case storage(reason: String)

    /// What happened, in one line.
    package var reason: String {
        switch self {
        case .malformed(let offset, let reason): "not a catalog: \(reason) at byte \(offset)"
        case .notUTF8(let offset, let encoding?):
            "not UTF-8: the byte at offset \(offset) can't be part of it; it looks like \(encoding), so try --encoding \(encoding)"
        case .notUTF8(let offset, nil):
            "not UTF-8: the byte at offset \(offset) can't be part of it; name the encoding with --encoding NAME, for example --encoding GB18030"
        case .unknownEncoding(let name): "no encoding is called “\(name)” here; iconv -l lists those that are known"
        case .unreachable(let reason), .denied(let reason), .refused(let reason), .storage(let reason): reason
        }
    }
}

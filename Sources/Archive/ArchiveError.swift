/// Why an archive, or something in it, can't be read.
package enum ArchiveError: Error, Hashable, Sendable {
    /// There is no whole archive: no directory at its end, or one that can't be right.
    case notWhole

    /// It asks for more than is given to it.
    case tooLarge(reason: String)

    /// There is no entry of that name.
    case missing(name: String)

    /// The file or the entry can't be read.
    case unreadable(reason: String)

    /// What is wrong, in words.
    package var reason: String {
        switch self {
        case .notWhole: "it isn't a whole ZIP archive"
        case .tooLarge(let reason), .unreadable(let reason): reason
        case .missing(let name): "there is no “\(name)” in it"
        }
    }
}

/// Where a value was written.
package enum SettingPlace: Hashable, Sendable, CustomStringConvertible {
    /// On the command line; the flag with its dashes.
    case flag(String)

    /// In a variable of the environment.
    case environment(String)

    /// In the user's file; lines count from 1.
    case user(path: String, line: Int)

    /// In what the store prescribes.
    case remote

    /// In the administrator's file; lines count from 1.
    case system(path: String, line: Int)

    /// Nowhere: the default holds.
    case standard

    /// The kind of place in one word, as JSON output names it.
    package var word: String {
        switch self {
        case .flag: "flag"
        case .environment: "environment"
        case .user: "user"
        case .remote: "remote"
        case .system: "system"
        case .standard: "default"
        }
    }

    /// As messages name it, for example `/etc/bookshelf/default.conf:3`.
    package var description: String {
        switch self {
        case .flag(let name): name
        case .environment(let name): "environment variable \(name)"
        case .user(let path, let line), .system(let path, let line): "\(path):\(line)"
        case .remote: "the remote configuration"
        case .standard: "the default"
        }
    }
}

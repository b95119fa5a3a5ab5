/// Why settings can't be used, or a profile can't be.
package enum SettingsError: Error, Equatable, Sendable {
    /// A file can't be opened, read or written.
    case unreadable(path: String, reason: String)

    /// A line isn't `name = value`, a section or a comment.
    case malformed(place: SettingPlace, reason: String)

    /// No setting has this name.
    case unknown(name: String, place: SettingPlace, nearest: String?)

    /// A value that the setting doesn't take.
    ///
    /// - Parameter allowed: What it takes, as the end of a sentence that begins “must be”.
    case notAllowed(name: String, value: String, place: SettingPlace, allowed: String)

    /// A flag for a setting that the administrator has locked.
    case locked(name: String, by: SettingPlace)

    /// A name that no profile can have.
    case profileName(String)

    /// A place for the profile's files can't be found or isn't safe.
    case location(reason: String)

    /// Whether the person used the command or a file wrongly, rather than met a refusal or a fault.
    package var isWrongUsage: Bool {
        switch self {
        case .malformed, .unknown, .notAllowed, .profileName: true
        case .unreadable, .locked, .location: false
        }
    }

    /// What is wrong and what to do, in one line.
    package var reason: String {
        switch self {
        case .unreadable(let path, let reason): "can't use \(path): \(reason)"
        case .malformed(let place, let reason): "\(place): \(reason)"
        case .unknown(let name, let place, let nearest):
            "\(place): no setting is called “\(name)”" + (nearest.map { "; did you mean \($0)?" } ?? "")
        case .notAllowed(let name, let value, let place, let allowed):
            "\(place): \(name) must be \(allowed), not “\(value)”"
        case .locked(let name, let place): "\(name) is locked by \(place); ask the administrator to change it there"
        case .profileName(let name):
            "“\(name)” can't be the name of a profile: use up to \(ProfileName.maximumLength) letters, digits, “-”, “_” and “.”, not beginning with “.” or “-”"
        case .location(let reason): reason
        }
    }
}

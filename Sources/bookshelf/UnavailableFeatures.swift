internal import Arguments
internal import CommandLanguage
internal import Settings
internal import Shelf

/// What the command line and the settings know by name and this version doesn't do.
enum UnavailableFeatures {
    /// Flags that ask for it, whatever their value.
    private static var flags: [Flag] { [.user, .pin, .permissions] }

    /// Settings without effect.
    private static var settings: [any SettingDeclaration] { [Setting.thumbnails] }

    /// Views that may be named and aren't shown.
    static func views(in names: [String]) -> [String] {
        names.filter { ShelfView(rawValue: $0) == nil }
    }

    /// Refuses a command that was told to do it: nobody should believe that it was done.
    ///
    /// - Throws: ``Failure`` for wrong usage, with the flag.
    static func refuse(in invocation: Invocation) throws(Failure) {
        let taken = invocation.command.flags
        for flag in flags where taken.contains(flag) && invocation.has(flag) {
            throw .usage("\(flag.names.first ?? "") is not available in this version")
        }
    }

    /// What the log says of settings that were made and have no effect: a file may be meant for a newer version.
    static func notices(in settings: Settings) -> [String] {
        let missing = views(in: settings[.views]).map { "the view \($0) is not available in this version" }
        return missing
            + Self.settings.compactMap { declaration in
                guard let resolved = settings.resolved(declaration.name), resolved.place != .standard,
                    resolved.text != declaration.defaultText
                else { return nil }
                return "\(resolved.place): \(declaration.name) has no effect in this version"
            }
    }
}

internal import Settings
internal import Shelf

/// What the command line and the settings know by name and this version doesn't do.
enum UnavailableFeatures {
    /// Settings without effect.
    private static var settings: [any SettingDeclaration] { [Setting.thumbnails] }

    /// Views that may be named and aren't shown.
    static func views(in names: [String]) -> [String] {
        names.filter { ShelfView(rawValue: $0) == nil }
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

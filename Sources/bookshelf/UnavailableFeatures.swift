internal import Arguments
internal import CommandLanguage
internal import Settings

/// What the command line and the settings know by name and this version doesn't do.
enum UnavailableFeatures {
    /// Flags whose one value is what this version does anyway.
    private static var fixedFlags: [(flag: Flag, value: String)] {
        [(.layout, "category"), (.views, "none")]
    }

    /// Settings without effect.
    private static var settings: [any SettingDeclaration] {
        [
            Setting.layout, Setting.views, Setting.splitsCategories, Setting.thumbnails,
        ]
    }

    /// Refuses a command that was told to do it: nobody should believe that it was done.
    ///
    /// - Throws: ``Failure`` for wrong usage, with the flag.
    static func refuse(in invocation: Invocation) throws(Failure) {
        let taken = invocation.command.flags
        for (flag, value) in fixedFlags where taken.contains(flag) {
            guard let given = invocation.value(of: flag), given != value else { continue }
            throw .usage("\(flag.names.first ?? "") \(given) is not available in this version, only \(value)")
        }
    }

    /// What the log says of settings that were made and have no effect: a file may be meant for a newer version.
    static func notices(in settings: Settings) -> [String] {
        Self.settings.compactMap { declaration in
            guard let resolved = settings.resolved(declaration.name), resolved.place != .standard,
                resolved.text != declaration.defaultText
            else { return nil }
            return "\(resolved.place): \(declaration.name) has no effect in this version"
        }
    }
}

internal import Spelling

/// The settings that hold, each with where its value comes from.
///
/// A flag goes before the environment, that before the user's file, the remote configuration, the system file and the
/// default. What the system file locks has its value, or the default; what the remote configuration locks has the
/// remote value, or the one below it.
package struct Settings: Sendable {
    /// A setting with its value, whatever its type.
    package struct Resolved: Sendable {
        package let name: String

        /// The value as files would write it.
        package let text: String
        package let place: SettingPlace

        /// Who locks it, or `nil`.
        package let lockedBy: SettingPlace?
    }

    /// In the order of ``declarations``.
    package private(set) var all: [Resolved] = []

    /// What was passed over, in words for the log: values under a lock, and unusable ones of the remote configuration.
    package private(set) var notices: [String] = []
    private var values: [String: any Sendable] = [:]

    /// Joins the layers.
    ///
    /// - Parameters:
    ///   - flags: What the command line sets.
    ///   - environment: All variables; only those of settings are looked at.
    ///   - user: What the user's file sets.
    ///   - remote: What the store prescribes; what it can't be used for is a notice, never an error.
    ///   - system: What the administrator's file sets.
    /// - Throws: ``SettingsError`` for a name or value that can't be, or a flag for a locked setting.
    package init(
        flags: SettingsLayer? = nil, environment: [String: String] = [:], user: SettingsLayer? = nil,
        remote: SettingsLayer? = nil, system: SettingsLayer? = nil
    ) throws(SettingsError) {
        let layers = [flags, SettingsLayer(environment: environment), user, remote, system].compactMap { $0 }
        var candidates: [String: [Candidate]] = [:]
        for entry in layers.flatMap(\.entries) {
            do throws(SettingsError) {
                candidates[entry.name, default: []].append(try Settings.candidate(entry))
            } catch {
                guard entry.place == .remote else { throw error }
                notices.append(error.reason)
            }
        }
        for (name, place) in system?.locks ?? [:] where Settings.declaration(named: name) == nil {
            throw Settings.unknown(name, at: place)
        }

        for declaration in Settings.declarations {
            let lock = system?.locks[declaration.name] ?? remote?.locks[declaration.name]
            var ranked = candidates[declaration.name] ?? []
            if let lock {
                if let flag = ranked.first, case .flag = flag.place {
                    throw .locked(name: declaration.name, by: lock)
                }
                for candidate in ranked where !candidate.place.isBound(by: lock) {
                    notices.append(
                        "\(candidate.place): \(declaration.name) is locked by \(lock) and stays as it is there")
                }
                ranked.removeAll { !$0.place.isBound(by: lock) }
            }
            let winner = ranked.first
            values[declaration.name] = winner?.value
            all.append(
                Resolved(
                    name: declaration.name, text: winner?.text ?? declaration.defaultText,
                    place: winner?.place ?? .standard, lockedBy: lock))
        }
    }

    /// The value that holds.
    package subscript<Value>(setting: Setting<Value>) -> Value {
        values[setting.name] as? Value ?? setting.defaultValue
    }

    /// The value as text with its place, or `nil` if no setting has this name.
    package func resolved(_ name: String) -> Resolved? {
        all.first { $0.name == name }
    }

    /// Checks a value before it is written somewhere.
    ///
    /// - Returns: The text in its canonical form.
    /// - Throws: ``SettingsError/unknown(name:place:nearest:)`` or
    ///   ``SettingsError/notAllowed(name:value:place:allowed:)``.
    package static func check(_ text: String, for name: String, at place: SettingPlace) throws(SettingsError) -> String
    {
        try candidate(.init(name: name, text: text, place: place)).text
    }

    /// A value that one of the places sets.
    private struct Candidate {
        let value: any Sendable
        let text: String
        let place: SettingPlace
    }

    private static func candidate(_ entry: SettingsLayer.Entry) throws(SettingsError) -> Candidate {
        guard let declaration = declaration(named: entry.name) else { throw unknown(entry.name, at: entry.place) }
        guard let (value, text) = declaration.read(entry.text) else {
            throw .notAllowed(
                name: entry.name, value: entry.text, place: entry.place, allowed: declaration.allowed)
        }
        return Candidate(value: value, text: text, place: entry.place)
    }

    private static func unknown(_ name: String, at place: SettingPlace) -> SettingsError {
        .unknown(name: name, place: place, nearest: nearestWord(to: name, among: declarations.map(\.name)))
    }
}

extension SettingPlace {
    /// Whether a value from here still counts under a lock: one of the same place, or of one below it.
    fileprivate func isBound(by lock: SettingPlace) -> Bool {
        switch (self, lock) {
        case (.system, _): true
        case (.remote, .remote): true
        default: false
        }
    }
}

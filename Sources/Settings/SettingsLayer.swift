/// What one place sets, before anybody has looked whether those are settings.
package struct SettingsLayer: Sendable {
    /// One setting as it was written.
    package struct Entry: Sendable {
        package let name: String
        package let text: String
        package let place: SettingPlace

        package init(name: String, text: String, place: SettingPlace) {
            self.name = name
            self.text = text
            self.place = place
        }
    }

    package let entries: [Entry]

    /// The names that this place locks, with where it says so; only the system file and the remote configuration may.
    package let locks: [String: SettingPlace]

    package init(entries: [Entry], locks: [String: SettingPlace] = [:]) {
        self.entries = entries
        self.locks = locks
    }

    /// What the store prescribes.
    ///
    /// - Parameters:
    ///   - values: Texts by the names of settings.
    ///   - locks: The names that outrank the user's own choice.
    package init(remote values: [String: String], locks: [String] = []) {
        let entries = values.sorted { $0.key < $1.key }.map { Entry(name: $0.key, text: $0.value, place: .remote) }
        self.init(entries: entries, locks: Dictionary(uniqueKeysWithValues: Set(locks).map { ($0, .remote) }))
    }

    /// What variables of the environment set; those that belong to no setting are passed over.
    package init(environment: [String: String]) {
        self.init(
            entries: Settings.declarations.compactMap { declaration in
                environment[declaration.environmentName].map {
                    Entry(name: declaration.name, text: $0, place: .environment(declaration.environmentName))
                }
            })
    }
}

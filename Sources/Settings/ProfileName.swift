/// The name of a profile: part of the names of files, so it must be plain.
package struct ProfileName: Hashable, Sendable, CustomStringConvertible {
    /// In characters.
    package static let maximumLength = 64

    /// The profile of whoever names none.
    package static var standard: ProfileName { ProfileName(checked: "default") }

    package let text: String
    package var description: String { text }

    private init(checked text: String) {
        self.text = text
    }

    /// - Throws: ``SettingsError/profileName(_:)`` unless it is 1 to 64 ASCII letters, digits, `-`, `_` and `.`, not
    ///   beginning with `.`, which would hide its files, or `-`, which would look like a flag.
    package init(_ text: String) throws(SettingsError) {
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard isPlain, let first = text.first, first != ".", first != "-", text.count <= ProfileName.maximumLength
        else {
            throw .profileName(text)
        }
        self.text = text
    }
}

/// A text that nobody may see: a password, a token, a key.
///
/// Whatever prints, interpolates, dumps or logs it shows `<redacted>`. Its text leaves only by ``exposed``, so that a
/// search for that word finds every place where it does.
package struct Secret: Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text itself, for the one who must send or store it.
    package var exposed: String { text }

    package var isEmpty: Bool { text.isEmpty }
}

extension Secret: Equatable {
    /// Compares in a time that depends on the lengths alone.
    package static func == (left: Secret, right: Secret) -> Bool {
        let (left, right) = (Array(left.text.utf8), Array(right.text.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What stands in place of every secret.
    package static var placeholder: String { "<redacted>" }

    package var description: String { Secret.placeholder }
    package var debugDescription: String { Secret.placeholder }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The value of a field: either stated to be public, or of a type that redacts itself.
///
/// A plain string can't become one by accident; the word `public` at the call says that somebody thought about it.
package struct LogValue: Sendable {
    /// What the value may show.
    enum Content: Sendable {
        case text(String)
        case url(RedactedURL)
    }

    let content: Content

    /// A text that anybody may read; whatever it holds, it can't break out of its field.
    package static func `public`(_ text: String) -> LogValue {
        LogValue(content: .text(text))
    }

    /// A number.
    package static func `public`(_ number: some BinaryInteger) -> LogValue {
        LogValue(content: .text(String(number)))
    }

    /// A truth value.
    package static func `public`(_ isTrue: Bool) -> LogValue {
        LogValue(content: .text(isTrue ? "true" : "false"))
    }

    /// A length of time, shown in whole milliseconds.
    package static func `public`(_ interval: Duration) -> LogValue {
        let (seconds, attoseconds) = interval.components
        return LogValue(content: .text("\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"))
    }

    /// A URL: its origin, and at level `debug` the harmless part of its path.
    package static func redacted(_ url: RedactedURL) -> LogValue {
        LogValue(content: .url(url))
    }

    /// That there is a secret, and nothing else about it.
    package static func redacted(_ secret: Secret) -> LogValue {
        LogValue(content: .text(secret.description))
    }

    /// What a line of `level` shows.
    func text(at level: LogLevel) -> String {
        switch content {
        case .text(let text): text
        case .url(let url): level == .debug ? url.outline : url.origin
        }
    }
}

package import JSON

/// What a server says of the ways to log in, with its answer 401.
///
/// OPDS Authentication 1.0 <https://drafts.opds.io/authentication-for-opds-1.0>.
package struct AuthenticationDocument {
    /// The media types under which it comes.
    package static let mediaTypes: Set<String> = [
        "application/opds-authentication+json", "application/vnd.opds.authentication.v1.0+json",
    ]

    private let title: String?
    private let types: [String]

    package init(_ document: JSONValue) {
        title = document["title"]?.stringValue.map { String($0.onOneLine.prefix(200)) }
        types = (document["authentication"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
    }

    /// In words that go behind “wants a login”.
    package var ways: String {
        let name = title.map { " (“\($0)”)" } ?? ""
        if types.contains("http://opds-spec.org/auth/basic") { return "\(name), by user name and password" }
        if types.contains("http://opds-spec.org/auth/oauth/password") { return "\(name), by user name and password" }
        if types.contains("http://opds-spec.org/auth/oauth/implicit") { return "\(name), in a browser" }
        if types.isEmpty { return name }
        return "\(name), by a way that this version doesn't know: "
            + types.prefix(4).map(Self.word).joined(separator: ", ")
    }

    private static func word(_ type: String) -> String {
        let last = type.split(separator: "/").suffix(2).joined(separator: "/")
        return String(last.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.prefix(64).map(Character.init))
    }
}

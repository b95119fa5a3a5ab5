internal import Catalog
internal import ContentSources
internal import JSON

/// What a person said about a source beyond its place, as the catalog keeps it: an object of JSON.
struct SourceOptions {
    /// The forms of EPUB, the preferred ones first.
    var preference: [BookFormat] = [.epub, .kepub]

    /// The name to log in with by a password; `nil` where the person named none.
    var user: String?

    /// Public keys of which the server must have one, as `sha256//BASE64`; empty to trust any valid certificate.
    var pinnedPublicKeys: [String] = []

    init() {}

    init(_ source: Source) {
        guard let json = try? JSONValue(parsing: source.options) else { return }
        let formats = (json["prefer"]?.arrayValue ?? []).compactMap {
            $0.stringValue.flatMap(BookFormat.init(rawValue:))
        }
        if !formats.isEmpty { preference = formats }
        user = json["user"]?.stringValue
        pinnedPublicKeys = (json["pins"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    var json: String {
        var json: JSONObject = ["prefer": JSONValue(preference.map(\.rawValue))]
        if let user { json["user"] = .string(user) }
        if !pinnedPublicKeys.isEmpty { json["pins"] = JSONValue(pinnedPublicKeys) }
        return String(decoding: JSONValue.object(json).encoded(), as: UTF8.self)
    }
}

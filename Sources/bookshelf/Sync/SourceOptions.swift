internal import Catalog
internal import ContentSources
internal import JSON

/// What a person said about a source beyond its place, as the catalog keeps it: an object of JSON.
struct SourceOptions {
    /// The forms of EPUB, the preferred ones first.
    var preference: [BookFormat] = [.epub, .kepub]

    init() {}

    init(_ source: Source) {
        guard let json = try? JSONValue(parsing: source.options) else { return }
        let formats = (json["prefer"]?.arrayValue ?? []).compactMap {
            $0.stringValue.flatMap(BookFormat.init(rawValue:))
        }
        if !formats.isEmpty { preference = formats }
    }

    var json: String {
        String(decoding: (["prefer": JSONValue(preference.map(\.rawValue))] as JSONValue).encoded(), as: UTF8.self)
    }
}

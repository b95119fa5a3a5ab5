internal import Shelf
internal import XML

/// The package document of an EPUB (its OPF): what the book says of itself.
///
/// EPUB 3.3, section 5; Open Packaging Format 2.0.1, section 2; and Calibre's names of series.
final class PackageDocument: XMLHandler {
    /// An element of the metadata, with what others say about it.
    private struct Field {
        let kind: Kind
        let id: String?

        /// What stands in attributes: `opf:role`, `opf:file-as`, `opf:scheme`.
        var role: String?
        var sortName: String?
        var scheme: String?
        var text = ""
    }

    private enum Kind {
        case title, creator, subject, language, publisher, description, identifier, collection
        case refinement(of: String, property: String)
    }

    /// A file of the book.
    private struct Item {
        let id: String
        let path: String
        let properties: [Substring]
        let isImage: Bool
    }

    private static var maximumFieldCount: Int { 10_000 }

    private var depth = 0
    private var field: Field?
    private var fieldDepth = 0
    private var text: [UInt8] = []
    private var fields: [Field] = []
    private var refinements: [String: [String: String]] = [:]

    /// The older way to say more: `<meta name= content=>`.
    private var named: [String: String] = [:]
    private var items: [Item] = []
    private var isPackage = false

    // MARK: - Events

    func startElement(_ name: XMLName, _ attributes: [XMLAttribute]) throws(XMLStop) {
        depth += 1
        if depth == 1 {
            guard name.local == "package" else { throw XMLStop(reason: "it is no package document") }
            isPackage = true
        }
        guard field == nil, fields.count < Self.maximumFieldCount, items.count < Self.maximumFieldCount else { return }
        switch name.local {
        case "meta": startMeta(attributes)
        case "item":
            guard let id = attributes["id"], let path = attributes["href"] else { return }
            items.append(
                Item(
                    id: id, path: path, properties: (attributes["properties"] ?? "").split(separator: " "),
                    isImage: attributes["media-type"]?.lowercased().hasPrefix("image/") ?? false))
        default:
            guard name.namespace.hasPrefix("http://purl.org/dc/"), let kind = Self.kind(name.local) else { return }
            var started = Field(kind: kind, id: attributes["id"])
            started.role = attributes[Self.opf, "role"] ?? attributes["role"]
            started.sortName = attributes[Self.opf, "file-as"] ?? attributes["file-as"]
            started.scheme = attributes[Self.opf, "scheme"] ?? attributes["scheme"]
            begin(started)
        }
    }

    func endElement(_ name: XMLName) {
        if var ended = field, depth == fieldDepth {
            ended.text = String(trimming: text.span)
            if case .refinement(let id, let property) = ended.kind {
                refinements[id, default: [:]][property] = ended.text
            } else if !ended.text.isEmpty {
                fields.append(ended)
            }
            field = nil
            text = []
        }
        depth -= 1
    }

    func text(_ bytes: Span<UInt8>) {
        guard field != nil, text.count < FeedEntry.byteLimit else { return }
        for index in bytes.indices { text.append(bytes[index]) }
    }

    func reference(to name: String) {
        guard field != nil, let character = CharacterEntities.character(named: name[...]) else { return }
        text += Array(String(character).utf8)
    }

    private static var opf: String { "http://www.idpf.org/2007/opf" }

    private static func kind(_ name: String) -> Kind? {
        switch name.lowercased() {
        case "title": .title
        case "creator": .creator
        case "subject": .subject
        case "language": .language
        case "publisher": .publisher
        case "description": .description
        case "identifier": .identifier
        default: nil
        }
    }

    private func startMeta(_ attributes: [XMLAttribute]) {
        if let name = attributes["name"], let content = attributes["content"] {
            if named[name] == nil { named[name] = content.trimmed }
        } else if let property = attributes["property"] {
            if let refined = attributes["refines"], refined.hasPrefix("#") {
                begin(
                    Field(kind: .refinement(of: String(refined.dropFirst()), property: property), id: attributes["id"]))
            } else if property == "belongs-to-collection" {
                begin(Field(kind: .collection, id: attributes["id"]))
            }
        }
    }

    private func begin(_ started: Field) {
        field = started
        fieldDepth = depth
        text = []
    }

    // MARK: - What it says

    /// Fills in what the document says.
    ///
    /// - Parameter book: Its title stays where the document has none.
    func describe(_ book: inout BookRecord) {
        if let title = mainTitle { book.title = title }
        book.authors = authors
        for field in fields {
            let text = field.text.onOneLine
            switch field.kind {
            case .subject: if !book.categories.contains(text), !text.isEmpty { book.categories.append(text) }
            case .language: if book.language == nil { book.language = LanguageTag.tag(text) }
            case .publisher: if book.publisher == nil { book.publisher = text }
            case .description:
                let plain = DescriptionText.plain(field.text)
                if book.description == nil, !plain.isEmpty { book.description = plain }
            case .identifier: if book.isbn == nil { book.isbn = isbn(field) }
            case .title, .creator, .collection, .refinement: break
            }
        }
        describeSeries(&book)
    }

    /// The path of the picture of the cover, relative to this document; `nil` where there is none.
    var coverPath: String? {
        if let item = items.first(where: { $0.properties.contains("cover-image") }) { return item.path }
        guard let cover = named["cover"] else { return nil }
        return items.first { $0.isImage && ($0.id == cover || $0.path == cover) }?.path
    }

    /// The main title, or the first one.
    private var mainTitle: String? {
        let titles = fields.filter { if case .title = $0.kind { !$0.text.onOneLine.isEmpty } else { false } }
        let main = titles.first { refinement($0, "title-type") == "main" }
        return (main ?? titles.first)?.text.onOneLine
    }

    /// Those who wrote it; where none is said to have, all who made it.
    private var authors: [Author] {
        var all: [(author: Author, role: String)] = []
        for field in fields {
            guard case .creator = field.kind, all.count < 1_000 else { continue }
            let name = field.text.onOneLine
            let sortName = (field.sortName ?? refinement(field, "file-as"))?.onOneLine
            let role = (field.role ?? refinement(field, "role") ?? "").lowercased().trimmed
            guard !name.isEmpty, !all.contains(where: { $0.author.name == name }) else { continue }
            all.append((Author(name: name, sortName: sortName?.isEmpty == true ? nil : sortName), role))
        }
        let writers = all.filter { $0.role.isEmpty || $0.role == "aut" }
        return (writers.isEmpty ? all : writers).map(\.author)
    }

    private func isbn(_ field: Field) -> String? {
        let text = field.text.trimmed
        let lower = text.lowercased()
        if lower.hasPrefix("urn:isbn:") { return String(text.dropFirst("urn:isbn:".count)) }
        return field.scheme?.lowercased() == "isbn" ? text : nil
    }

    private func describeSeries(_ book: inout BookRecord) {
        for field in fields {
            guard case .collection = field.kind, refinement(field, "collection-type") != "set" else { continue }
            book.series = field.text.onOneLine
            book.seriesIndex = refinement(field, "group-position").flatMap { Double($0) }.flatMap {
                $0.isFinite ? $0 : nil
            }
            return
        }
        guard let series = named["calibre:series"]?.onOneLine, !series.isEmpty else { return }
        book.series = series
        book.seriesIndex = named["calibre:series_index"].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    private func refinement(_ field: Field, _ property: String) -> String? {
        field.id.flatMap { refinements[$0]?[property] }
    }
}

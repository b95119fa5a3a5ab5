package import JSON
package import Shelf

/// What a command asks of the driver that runs.
package enum ControlRequest: Hashable, Sendable {
    /// How it is, as `status` prints it.
    case status

    /// To materialise the content of books.
    case fetch([BookID])

    /// To remove the content of books from disk.
    case evict([BookID])

    /// To compare the content of books with its hashes, of all that is on disk where there are none; and to fetch what was
    /// damaged again.
    case verify([BookID]?, isRepairing: Bool)

    /// To sync sources, all where none is named; with permissions, to ask the store anew what may be read.
    case sync(sources: [String], permissions: Bool)

    /// To read the settings again.
    case reload

    /// To unmount and end.
    case stop

    /// As it crosses the socket.
    package var json: JSONValue {
        switch self {
        case .status: ["request": "status"]
        case .fetch(let books): ["request": "fetch", "ids": ControlRequest.json(books)]
        case .evict(let books): ["request": "evict", "ids": ControlRequest.json(books)]
        case .verify(let books, let isRepairing):
            [
                "request": "verify", "ids": books.map(ControlRequest.json) ?? .null, "repair": .boolean(isRepairing),
            ]
        case .sync(let sources, let permissions):
            ["request": "sync", "sources": JSONValue(sources), "permissions": .boolean(permissions)]
        case .reload: ["request": "reload"]
        case .stop: ["request": "stop"]
        }
    }

    /// Reads what crossed the socket; `nil` for what isn't a request, or one of a newer version.
    package init?(_ json: JSONValue) {
        switch json["request"]?.stringValue {
        case "status": self = .status
        case "fetch":
            guard let books = ControlRequest.books(json["ids"]) else { return nil }
            self = .fetch(books)
        case "evict":
            guard let books = ControlRequest.books(json["ids"]) else { return nil }
            self = .evict(books)
        case "verify":
            guard let isRepairing = json["repair"]?.booleanValue, let ids = json["ids"] else { return nil }
            if ids == .null {
                self = .verify(nil, isRepairing: isRepairing)
            } else if let books = ControlRequest.books(ids) {
                self = .verify(books, isRepairing: isRepairing)
            } else {
                return nil
            }
        case "sync":
            guard let sources = json["sources"]?.arrayValue else { return nil }
            let names = sources.compactMap(\.stringValue)
            guard names.count == sources.count, let permissions = json["permissions"]?.booleanValue else { return nil }
            self = .sync(sources: names, permissions: permissions)
        case "reload": self = .reload
        case "stop": self = .stop
        default: return nil
        }
    }

    private static func json(_ books: [BookID]) -> JSONValue {
        .array(books.map { .integer($0.rawValue) })
    }

    private static func books(_ json: JSONValue?) -> [BookID]? {
        guard let elements = json?.arrayValue else { return nil }
        let books = elements.compactMap(\.integerValue).map { BookID(rawValue: $0) }
        return books.count == elements.count ? books : nil
    }
}

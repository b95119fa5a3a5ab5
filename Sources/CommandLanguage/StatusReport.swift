package import JSON
package import Shelf
internal import Terminal

/// How a shelf is, as `status` tells it: by the driver where one runs, else by the command itself.
package struct StatusReport: Hashable, Sendable {
    package struct Catalog: Hashable, Sendable {
        package var books = 0
        package var purchased = 0

        /// How many books stand on the shelf, and how many of those can be read without a network.
        package var onShelf = 0
        package var readable = 0

        /// The last entry of the change history.
        package var anchor: Int64 = 0
        package init() {}
    }

    package struct Cache: Hashable, Sendable {
        package var byteCount: Int64 = 0
        package var files = 0
        package var limitByteCount: Int64?
        package var pinned = 0
        package init() {}
    }

    /// Where a source stands.
    package enum SourceState: String, Sendable {
        case ok
        case failing
        case login
        case never
    }

    package struct Source: Hashable, Sendable {
        package var name: String
        package var kind: String
        package var state: SourceState

        /// Seconds since 1970, as all times here.
        package var lastSync: Int64?
        package var lastError: String?

        /// How whoever is logged in there is called; `nil` where nobody is.
        package var account: String?

        package init(name: String, kind: String, state: SourceState) {
            self.name = name
            self.kind = kind
            self.state = state
        }
    }

    package struct Mount: Hashable, Sendable {
        package var path: String
        package var processID: Int32
        package var workerProcessID: Int32?
        package var since: Int64?

        /// Whether writes are refused: always, since the driver refuses them, also where the kernel's table says `rw`
        /// because announcements go through a user's mount itself.
        package var isReadOnly: Bool

        package init(path: String, processID: Int32, isReadOnly: Bool) {
            self.path = path
            self.processID = processID
            self.isReadOnly = isReadOnly
        }
    }

    /// The end of a process of the driver that nobody wanted, for people alone.
    package struct Incident: Hashable, Sendable {
        /// For example `worker`.
        package let part: String
        package let at: Int64

        /// How it ended, and where if it crashed.
        package let words: String

        /// How long nobody answered; `nil` where nobody had to wait, or it can't be told.
        package let gap: Duration?

        package init(part: String, at: Int64, words: String, gap: Duration?) {
            self.part = part
            self.at = at
            self.words = words
            self.gap = gap
        }

        /// In a line.
        package var line: String {
            var line = "The \(part) of the mount ended at \(CivilTime.iso8601(at)): \(words)"
            if let gap {
                let (seconds, attoseconds) = gap.components
                line += "; readers waited for \(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) ms"
            }
            return line
        }
    }

    package struct Transfers: Hashable, Sendable {
        package struct Program: Hashable, Sendable {
            package let name: String
            package let requests: Int
            package let byteCount: Int64

            package init(name: String, requests: Int, byteCount: Int64) {
                self.name = name
                self.requests = requests
                self.byteCount = byteCount
            }
        }

        package var requests = 0
        package var byteCount: Int64 = 0
        package var active = 0
        package var byProgram: [Program] = []
        package init() {}
    }

    /// An error that a reader of a book got, or that concerns the whole mount.
    package struct ReadError: Hashable, Sendable {
        /// `nil` where it concerns no book alone.
        package let book: BookID?

        /// Relative to the mount.
        package let path: String?

        /// Of the error number that a reader got, as errno(3) names it.
        package let symbol: String?
        package let reason: String

        /// What the person can do about it.
        package let advice: String
        package let at: Int64

        package init(
            book: BookID? = nil, path: String? = nil, symbol: String? = nil, reason: String, advice: String, at: Int64
        ) {
            self.book = book
            self.path = path
            self.symbol = symbol
            self.reason = reason
            self.advice = advice
            self.at = at
        }
    }

    package struct Paths: Hashable, Sendable {
        package var catalog: String
        package var cache: String
        package var log: String
        package var configuration: String
        package var socket: String

        package init(catalog: String, cache: String, log: String, configuration: String, socket: String) {
            self.catalog = catalog
            self.cache = cache
            self.log = log
            self.configuration = configuration
            self.socket = socket
        }
    }

    package var profile: String
    package var version: String

    /// The oldest first.
    package var incidents: [Incident] = []
    package var catalog = Catalog()

    /// Books that the search index doesn't hold yet.
    package var pendingIndexCount = 0
    package var cache = Cache()

    /// What is pinned when it comes, in words; for people alone.
    package var pinRules: [String] = []
    package var sources: [Source] = []
    package var mounts: [Mount] = []
    package var transfers = Transfers()

    /// The latest last.
    package var errors: [ReadError] = []

    /// Annotations and events that wait to be sent.
    package var pendingOutboxCount = 0

    /// `nil` while sources can be reached.
    package var offlineSince: Int64?
    package var isOffline = false
    package var paths: Paths

    package init(profile: String, version: String, paths: Paths) {
        self.profile = profile
        self.version = version
        self.paths = paths
    }

    /// With every key, `null` where nothing is known.
    package var json: JSONValue {
        [
            "profile": .string(profile),
            "version": .string(version),
            "catalog": [
                "books": JSONValue(catalog.books), "purchased": JSONValue(catalog.purchased),
                "anchor": .integer(catalog.anchor),
            ],
            "index": ["pending": JSONValue(pendingIndexCount)],
            "cache": [
                "bytes": .integer(cache.byteCount), "files": JSONValue(cache.files),
                "limitBytes": JSONValue(cache.limitByteCount), "pinned": JSONValue(cache.pinned),
            ],
            "sources": .array(sources.map(\.json)),
            "mounts": .array(mounts.map(\.json)),
            "transfers": transfers.json,
            "errors": .array(errors.map(\.json)),
            "outbox": ["pending": JSONValue(pendingOutboxCount)],
            "offline": .boolean(isOffline),
            "offlineSince": JSONValue(time: offlineSince),
            "paths": [
                "catalog": .string(paths.catalog), "cache": .string(paths.cache), "log": .string(paths.log),
                "config": .string(paths.configuration), "socket": .string(paths.socket),
            ],
        ]
    }
}

extension StatusReport.Source {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "kind": .string(kind), "state": .string(state.rawValue),
            "lastSync": JSONValue(time: lastSync), "lastError": JSONValue(lastError), "account": JSONValue(account),
        ]
    }
}

extension StatusReport.Mount {
    fileprivate var json: JSONValue {
        [
            "path": .string(path), "pid": JSONValue(processID), "workerPid": JSONValue(workerProcessID),
            "since": JSONValue(time: since), "readOnly": .boolean(isReadOnly),
        ]
    }
}

extension StatusReport.Transfers {
    fileprivate var json: JSONValue {
        [
            "requests": JSONValue(requests), "bytes": .integer(byteCount), "active": JSONValue(active),
            "byProgram": .array(
                byProgram.map {
                    [
                        "program": .string($0.name), "requests": JSONValue($0.requests),
                        "bytes": .integer($0.byteCount),
                    ]
                }),
        ]
    }
}

extension StatusReport.ReadError {
    fileprivate var json: JSONValue {
        [
            "id": JSONValue(book?.rawValue), "path": JSONValue(path), "errno": JSONValue(symbol),
            "reason": .string(reason), "advice": .string(advice), "at": JSONValue(time: at),
        ]
    }
}

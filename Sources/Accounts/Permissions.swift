internal import Glibc
internal import JSON

/// What a store lets a person do, as it said when it was asked last.
///
/// For what is shown; what is done the store decides each time anew.
package struct Permissions: Sendable, Hashable {
    /// How the person is called there; somebody else's words.
    package var account: String?

    /// Each as `area:action`.
    package var names: Set<String>

    /// In seconds since 1970.
    package var loadedAt: Int64

    package init(account: String? = nil, names: Set<String>, loadedAt: Int64) {
        self.account = account
        self.names = names
        self.loadedAt = loadedAt
    }

    /// How long they hold, in seconds.
    package static var life: Int64 { 300 }

    package func isFresh(at now: Int64) -> Bool { loadedAt <= now && now - loadedAt < Self.life }

    /// Whether something is among them: itself, all of its area, or everything.
    ///
    /// - Parameter name: As `area:action`.
    /// - Returns: `false` also for what the store doesn't know.
    package func allow(_ name: String) -> Bool {
        let area = name.prefix { $0 != ":" }
        return names.contains(name) || names.contains("\(area):*") || names.contains("*")
    }

    private static var maximumCount: Int { 1_000 }

    /// - Returns: `nil` if it isn't what a store answers.
    init?(_ json: JSONValue, loadedAt: Int64) {
        guard let list = json["permissions"]?.arrayValue, list.count <= Self.maximumCount else { return nil }
        let names = list.compactMap { $0.stringValue.flatMap { $0.utf8.count <= 100 ? $0 : nil } }
        self.init(
            account: json["account"]?.stringValue.map { String($0.prefix(200)) }, names: Set(names), loadedAt: loadedAt)
    }

    var json: JSONValue {
        [
            "account": JSONValue(account), "permissions": JSONValue(names.sorted()), "loadedAt": .integer(loadedAt),
        ]
    }
}

/// The permissions of each source in a small file a source, which all processes of a profile look at.
package struct PermissionFiles: Sendable {
    private let directory: String
    private static var maximumByteCount: Int { 256 << 10 }

    /// - Parameter directory: Made where it isn't there; the one that it is in must be.
    package init(in directory: String) {
        self.directory = directory
    }

    /// What was said last, fresh or not.
    package func permissions(of source: String) -> Permissions? {
        let descriptor = unsafe open(path(of: source), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0, let json = try? JSONValue(parsing: Array(bytes[..<count])),
            let loadedAt = json["loadedAt"]?.integerValue
        else { return nil }
        return Permissions(json, loadedAt: loadedAt)
    }

    /// Keeps them, or with `nil` forgets them; what can't be written is asked for again.
    package func keep(_ permissions: Permissions?, of source: String) {
        guard let permissions else {
            unsafe unlink(path(of: source))
            return
        }
        unsafe mkdir(directory, 0o700)
        let temporary = "\(path(of: source)).\(getpid())"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = permissions.json.encoded()
        let isWritten = unsafe write(descriptor, bytes, bytes.count) == bytes.count
        close(descriptor)
        if isWritten {
            unsafe rename(temporary, path(of: source))
        } else {
            unsafe unlink(temporary)
        }
    }

    private func path(of source: String) -> String { "\(directory)/\(source).json" }
}

internal import Glibc

/// A file of settings: `name = value` on lines, comments after `#` or `;`.
///
/// `[sync]` and `interval = 5min` below it is the same as `sync.interval = 5min` before any section. A line
/// `lock = layout cache.max-size` of the system file keeps users from changing those settings.
package enum SettingsFile {
    /// The largest file that is read, in bytes.
    package static let maximumByteCount = 64 << 10

    /// Whose file it is.
    package enum Owner: Sendable {
        case user
        case system
    }

    /// Reads a file.
    ///
    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``SettingsError/unreadable(path:reason:)`` or ``SettingsError/malformed(place:reason:)``.
    package static func read(_ path: String, of owner: Owner) throws(SettingsError) -> SettingsLayer? {
        guard let bytes = try contents(of: path) else { return nil }
        func place(_ line: Int) -> SettingPlace {
            switch owner {
            case .user: .user(path: path, line: line)
            case .system: .system(path: path, line: line)
            }
        }

        let document: INIDocument
        do throws(INIDocument.Malformation) {
            document = try INIDocument(bytes)
        } catch {
            throw .malformed(place: place(error.line), reason: error.reason)
        }

        var entries: [SettingsLayer.Entry] = []
        var locks: [String: SettingPlace] = [:]
        var lines: [String: Int] = [:]
        for entry in document.entries {
            if let earlier = lines.updateValue(entry.line, forKey: entry.name) {
                throw .malformed(place: place(entry.line), reason: "\(entry.name) was set on line \(earlier) already")
            }
            guard entry.name == "lock" else {
                entries.append(.init(name: entry.name, text: entry.value, place: place(entry.line)))
                continue
            }
            guard owner == .system else {
                throw .malformed(place: place(entry.line), reason: "only the system file can lock settings")
            }
            for name in entry.value.split(whereSeparator: { ", \t".contains($0) }) {
                locks[String(name)] = place(entry.line)
            }
        }
        return SettingsLayer(entries: entries, locks: locks)
    }

    /// The bytes of a file, or `nil` if there is none.
    static func contents(of path: String) throws(SettingsError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(path: path, reason: reasonOfErrno())
        }
        defer { close(descriptor) }

        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .unreadable(path: path, reason: reasonOfErrno())
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it isn't an ordinary file")
        }

        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if result == 0 { break }
            if result > 0 {
                count += result
            } else if errno != EINTR {
                throw .unreadable(path: path, reason: reasonOfErrno())
            }
        }
        guard count <= maximumByteCount else {
            throw .unreadable(path: path, reason: "it is larger than \(maximumByteCount >> 10) KiB")
        }
        return Array(bytes.prefix(count))
    }
}

/// What the last call of the C library failed of, in words.
func reasonOfErrno() -> String {
    unsafe String(cString: strerror(errno))
}

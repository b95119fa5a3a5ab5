internal import Glibc

extension SettingsFile {
    /// Sets or removes settings in a user's file, and leaves every other line, comments too, as it is.
    ///
    /// The file is written beside itself, 0600, and put in place whole: after an error, or a power cut, the old one is
    /// there. A symbolic link stays one; the file that it names is replaced.
    ///
    /// - Parameters:
    ///   - changes: Values by name, already checked; `nil` removes the setting, so that a lower layer holds again.
    ///   - path: Made with its directory, where there is none.
    /// - Throws: ``SettingsError`` if the file as it is can't be read, or the new one not be written.
    package static func write(_ changes: [String: String?], to path: String) throws(SettingsError) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try PrivateDirectory.make(String(path[..<slash]))
        }
        let path = resolvingLinks(path)
        let bytes = try contents(of: path) ?? []
        let document: INIDocument
        do throws(INIDocument.Malformation) {
            document = try INIDocument(bytes)
        } catch {
            throw .malformed(place: .user(path: path, line: error.line), reason: error.reason)
        }

        let original = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var lines = original.map { Optional(String($0)) }
        var added: [String] = []
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            let present = document.entries.filter { $0.name == name }
            for entry in present { lines[entry.line - 1] = nil }
            guard let value else { continue }
            guard let line = present.last?.line else {
                added.append("\(name) = \(value)")
                continue
            }
            // Below a section the name stands without it: keep it as it was written.
            let writtenName = original[line - 1].prefix { $0 != "=" && $0 != ":" }.trimmingBlanks()
            lines[line - 1] = "\(writtenName) = \(value)"
        }
        try replace(path, with: text(kept: lines.compactMap { $0 }, added: added))
    }

    /// The file with the added lines before its first section, where names are whole.
    private static func text(kept: [String], added: [String]) -> String {
        var kept = kept
        while kept.last?.isEmpty == true { kept.removeLast() }
        let section = kept.firstIndex { $0.trimmingBlanks().hasPrefix("[") } ?? kept.endIndex
        return (kept[..<section] + added + kept[section...]).map { $0 + "\n" }.joined()
    }

    /// The path that a symbolic link finally names; the path itself where there is none.
    private static func resolvingLinks(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func replace(_ path: String, with text: String) throws(SettingsError) {
        let temporary = "\(path).\(getpid()).new"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unreadable(path: path, reason: reasonOfErrno()) }
        let bytes = Array(text.utf8)
        let isWritten = unsafe bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let result = unsafe Glibc.write(
                    descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { return false }
                offset += result
            }
            return fsync(descriptor) == 0
        }
        let reason = reasonOfErrno()
        close(descriptor)
        guard isWritten else {
            unsafe unlink(temporary)
            throw .unreadable(path: path, reason: reason)
        }
        guard unsafe rename(temporary, path) == 0 else {
            let reason = reasonOfErrno()
            unsafe unlink(temporary)
            throw .unreadable(path: path, reason: reason)
        }
    }
}

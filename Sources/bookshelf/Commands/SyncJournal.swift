internal import Catalog
internal import CommandLanguage
internal import Glibc
internal import JSON
internal import Shelf

/// When each source was last synced and how that went, in a small file a source.
///
/// Beside the catalog rather than in it, so that a sync which finds nothing new writes nothing there.
struct SyncJournal {
    /// The state directory of the profile.
    let directory: String

    /// Writes how a sync went.
    ///
    /// - Parameters:
    ///   - source: Its name.
    ///   - error: `nil` if it went well.
    ///   - now: When it ended, in nanoseconds since 1970.
    func note(_ source: String, error: SourceError?, at now: Int64) {
        let former = entry(of: source)
        let last = error == nil ? now / 1_000_000_000 : former?["lastSync"]?.integerValue
        let isDenied = if case .denied = error { true } else { false }
        let isUnreachable = if case .unreachable = error { true } else { false }
        let contact = SourceContact(
            after: SourceContact(former?["contact"]), isUnreachable: isUnreachable, at: now)
        let failureCount = error == nil ? 0 : (former?["failures"]?.integerValue ?? 0) + 1
        let json: JSONValue = [
            "lastSync": JSONValue(last), "lastError": JSONValue(error?.reason), "contact": contact.json,
            "failures": .integer(failureCount),
            "isDenied": .boolean(isDenied),
        ]
        keep(json, of: source)
    }

    /// Forgets that a source refused whoever asked, since somebody else asks from now on.
    func forgetDenial(by source: String) {
        guard var entry = entry(of: source)?.objectValue, entry["isDenied"]?.booleanValue == true else { return }
        entry["isDenied"] = false
        entry["failures"] = .integer(0)
        entry["lastError"] = .null
        keep(.object(entry), of: source)
    }

    private func keep(_ json: JSONValue, of source: String) {
        let temporary = "\(path(of: source)).\(getpid())"
        unsafe mkdir("\(directory)/sync", 0o700)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = json.encoded()
        let isWritten = unsafe write(descriptor, bytes, bytes.count) == bytes.count
        close(descriptor)
        if isWritten {
            unsafe rename(temporary, path(of: source))
        } else {
            unsafe unlink(temporary)
        }
    }

    /// Forgets a source that was removed.
    func forget(_ source: String) {
        unsafe unlink(path(of: source))
    }

    /// How a source stands.
    func report(of source: Source) -> StatusReport.Source {
        let entry = entry(of: source.name)
        let error = entry?["lastError"]?.stringValue
        // A file of this machine that may not be read is no matter of logging in.
        let isLogin = entry?["isDenied"]?.booleanValue == true && source.location.hasPrefix("http")
        let state: StatusReport.SourceState =
            entry == nil || error == nil && entry?["lastSync"]?.integerValue == nil
            ? .never : error == nil ? .ok : isLogin ? .login : .failing
        var report = StatusReport.Source(name: source.name, kind: source.kind, state: state)
        report.lastSync = entry?["lastSync"]?.integerValue
        report.lastError = error
        return report
    }

    /// How the last contact with a source went; `nil` if there was none.
    func contact(with source: String) -> SourceContact? {
        SourceContact(entry(of: source)?["contact"])
    }

    /// Whether a source is to be asked by itself: not if it failed lately.
    ///
    /// - Parameters:
    ///   - source: Which one.
    ///   - pace: How often it is asked.
    ///   - now: In nanoseconds since 1970.
    /// - Returns: Whether it is.
    func isDue(_ source: Source, by pace: SyncPace, at now: Int64) -> Bool {
        guard let entry = entry(of: source.name), let contact = SourceContact(entry["contact"]) else { return true }
        let failureCount = Int(clamping: entry["failures"]?.integerValue ?? 0)
        return pace.isDue(failures: failureCount, elapsed: .nanoseconds(now - contact.at))
    }

    private func entry(of source: String) -> JSONValue? {
        let descriptor = unsafe open(path(of: source), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return try? JSONValue(parsing: Array(bytes[..<count]))
    }

    /// Source names are words without a slash.
    private func path(of source: String) -> String { "\(directory)/sync/\(source).json" }
}

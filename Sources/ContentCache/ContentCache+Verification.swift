internal import Glibc
package import Shelf
internal import Synchronization

/// Whether what lies in the cache still is what was put there.
extension ContentCache {
    /// What looking at a content came to.
    package enum Finding: Sendable, Equatable {
        /// Its bytes are those that were verified when it was brought, and those that the catalog names.
        case sound

        /// Nothing of it is on disk, or it went meanwhile.
        case absent

        /// It isn't what it should be.
        case damaged(reason: String)

        /// The caller gave up.
        case abandoned
    }

    /// Which content is served where it lies.
    package var inPlacePolicy: InPlacePolicy { settings.inPlace }

    /// Everything of which there is a content or a record, by number.
    package func storedVersions() -> [VersionID] { directory.storedVersions() }

    /// Reads a content and compares it with its hash; what is damaged is taken out of the cache at once.
    ///
    /// Who has a damaged content open gets an error for every byte that the kernel still asks for. Waits for the disk and for the
    /// kernel, so not for a serving thread.
    ///
    /// - Parameters:
    ///   - id: Of the content.
    ///   - version: What the catalog says of it; `nil` if it doesn't know it.
    ///   - goesOn: Told how many bytes were read since the last call; returns whether to go on.
    /// - Returns: What it was; nothing is on disk any more of what was damaged.
    package func verify(
        _ id: VersionID, as version: ContentVersion?, goesOn: (_ byteCount: Int64) -> Bool = { _ in true }
    ) -> Finding {
        if let version, let inPlace, let path = settings.inPlace.path(of: version) {
            let finding = examineInPlace(version, at: path, inPlace, goesOn: goesOn)
            if case .damaged(let reason) = finding { journal.note(.broken(reason: reason), of: version) }
            return finding
        }
        let (finding, stamp) = examine(id, as: version, goesOn: goesOn)
        if case .damaged(let reason) = finding { condemn(id, stamp, version, reason: reason) }
        return finding
    }

    /// Reads a content and compares it with its hash; nothing is changed but the date of its record.
    ///
    /// - Returns: What it is, and the file that was looked at.
    func examine(
        _ id: VersionID, as version: ContentVersion?, goesOn: (_ byteCount: Int64) -> Bool
    ) -> (finding: Finding, stamp: FileStamp?) {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(openingForInspection: directory.bookPath(of: id), by: settings.calls)
        } catch {
            guard error.number == ENOENT else { return (.damaged(reason: "it can't be opened: \(error.words)"), nil) }
            removeRecordWithoutContent(of: id)
            return (.absent, nil)
        }
        guard let stamp = FileStamp(descriptor: file.number) else { return (.damaged(reason: "it is no file"), nil) }
        guard let record = directory.record(of: id) else {
            if directory.isOfEarlierStart(id) {
                discard(id, stamp)
                return (.absent, nil)
            }
            return (.damaged(reason: "nothing tells any more what it should be: its record is missing"), stamp)
        }
        guard record.fits(stamp) else {
            return (.damaged(reason: "it was changed since it was brought: size or date are others"), stamp)
        }
        let sha256: String
        do throws(SystemError) {
            guard let found = try file.sha256(of: 0..<stamp.byteCount, goesOn: goesOn) else {
                return (.abandoned, stamp)
            }
            sha256 = found
        } catch {
            return (.damaged(reason: "it can't be read: \(error.words)"), stamp)
        }
        guard let now = FileStamp(descriptor: file.number), now.isLinked else { return (.absent, stamp) }
        if now != stamp { return (.damaged(reason: "somebody changes it"), stamp) }
        if sha256 != record.sha256 {
            return (.damaged(reason: "its bytes are others than those that were brought"), stamp)
        }
        if let version, !agrees(record, with: version) {
            return (.damaged(reason: "it isn't what the catalog says"), stamp)
        }
        directory.noteVerified(id)
        return (.sound, stamp)
    }

    private func agrees(_ record: ContentRecord, with version: ContentVersion) -> Bool {
        if let sha256 = version.sha256, sha256 != record.sha256 { return false }
        return record.byteCount == version.byteCount || !version.isByteCountBinding
    }

    /// Takes a content that is known to be wrong out of the cache, and from those who have it open.
    ///
    /// - Parameters:
    ///   - id: Of the content.
    ///   - stamp: Of the file that was looked at; one that has taken its place meanwhile stays.
    ///   - version: For the journal.
    ///   - reason: What is wrong with it, in words.
    func condemn(_ id: VersionID, _ stamp: FileStamp?, _ version: ContentVersion?, reason: String) {
        var isOpen = client.isOpen(id)
        if isOpen { unverified.condemn(id) }
        discard(id, stamp)
        if !isOpen, client.isOpen(id) {
            // Whoever opened it in between may have read it.
            unverified.condemn(id)
            isOpen = true
        }
        client.dropPages(of: id)
        if isOpen { client.renew(id) }
        guard let version else { return }
        journal.note(.damaged(reason: "what was on disk of it is damaged: \(reason)"), of: version)
        client.noteDamage(of: version, reason: reason)
    }

    private func removeRecordWithoutContent(of id: VersionID) {
        contents.withLock { _ in
            // A content gets its record first.
            if FileStamp(path: directory.bookPath(of: id)) == nil { directory.removeContent(of: id) }
        }
    }
}

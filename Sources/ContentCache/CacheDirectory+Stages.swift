internal import Glibc
internal import Shelf

/// What is on its way into the cache: stages, what is written down of them, and the marks of those that somebody has read of.
extension CacheDirectory {
    /// Opens a new file to stage content in; the directory is made again if somebody removed it meanwhile.
    ///
    /// - Throws: What open(2) gives.
    func openStage(_ name: String) throws(SystemError) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        do throws(SystemError) {
            return try Descriptor(opening: "\(stagePath)/\(name)", flags, by: calls)
        } catch {
            guard error.number == ENOENT else { throw error }
            try? prepare()
            return try Descriptor(opening: "\(stagePath)/\(name)", flags, by: calls)
        }
    }

    /// The name of the stage of a content.
    static func stageName(of version: VersionID) -> String { "\(version.rawValue).part" }

    /// Whether something of a content is staged.
    func hasStage(of version: VersionID) -> Bool {
        FileStamp(path: "\(stagePath)/\(Self.stageName(of: version))") != nil
    }

    private func markPath(of version: VersionID) -> String { "\(stagePath)/\(version.rawValue).given" }

    /// Writes down that somebody is about to read bytes of a content that aren't verified yet.
    func mark(_ version: VersionID, _ record: GivenRecord) {
        // One call, so that whoever is killed leaves this record or the one before. Nothing is cut off: that would be a second.
        try? Descriptor(opening: markPath(of: version), O_WRONLY | O_CREAT | O_NOFOLLOW, by: calls)
            .write(Array(record.text.utf8).span, at: 0)
    }

    /// What was written down of a content, or `nil` if there is nothing whole.
    func givenRecord(of version: VersionID) -> GivenRecord? {
        text(at: markPath(of: version), atMost: 1 << 20).flatMap(GivenRecord.init)
    }

    func unmark(_ version: VersionID) {
        unsafe unlink(markPath(of: version))
    }

    /// The contents that are marked.
    func markedVersions() -> [VersionID] {
        names(in: stagePath).compactMap { name in
            name.hasSuffix(".given") ? Int64(name.dropLast(6)).map(VersionID.init(rawValue:)) : nil
        }
    }

    /// Opens a file that was staged before.
    ///
    /// - Throws: What open(2) gives.
    func reopenStage(_ name: String) throws(SystemError) -> Descriptor {
        try Descriptor(opening: "\(stagePath)/\(name)", O_RDWR | O_NOFOLLOW, by: calls)
    }

    /// What an earlier flight wrote down of a stage, or `nil` if there is nothing whole.
    func stageRecord(_ name: String) -> StageRecord? {
        text(at: "\(stagePath)/\(name).progress", atMost: 64 << 20).flatMap(StageRecord.init)
    }

    /// Writes down what a stage holds, in place of what was written before.
    ///
    /// - Throws: What the system gives; what was written before stays.
    func writeStageRecord(_ record: StageRecord, _ name: String) throws(SystemError) {
        let path = "\(stagePath)/\(name).progress"
        let file = try Descriptor(opening: path + "~", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, by: calls)
        try file.write(Array(record.text.utf8).span, at: 0)
        try move(path + "~", to: path)
    }

    /// Removes a staged file and what was written down of it; nothing happens if they aren't there.
    func removeStage(_ name: String) {
        unsafe unlink(stagedRecordPath(name))
        unsafe unlink("\(stagePath)/\(name).progress~")
        unsafe unlink("\(stagePath)/\(name).progress")
        unsafe unlink("\(stagePath)/\(name)")
    }

    /// Removes what was left staged and can't be gone on with; for the only user of the cache, before it stages anything.
    func removeAbandonedStages() {
        for name in names(in: stagePath) where !isOfUse(name) { unsafe unlink("\(stagePath)/\(name)") }
    }

    /// Whether a later flight may go on with what a file in the directory of stages holds.
    private func isOfUse(_ name: String) -> Bool {
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let version = Int64(parts[0]).map(VersionID.init(rawValue:)) else { return false }
        let stage = Self.stageName(of: version)
        switch parts[1] {
        case "given": return true
        case "part": return stageRecord(stage) != nil || givenRecord(of: version) != nil
        // It says nothing without the stage that it is of.
        case "part.progress": return hasStage(of: version) && isOfUse(stage)
        default: return false
        }
    }

    /// Calls `body` with the number of each content of which something is staged, and what the file is like.
    func forEachStage(_ body: (VersionID, FileStamp) -> Void) {
        for name in names(in: stagePath) {
            guard name.hasSuffix(".part"), let number = Int64(name.dropLast(5)),
                let stamp = FileStamp(path: "\(stagePath)/\(name)")
            else { continue }
            body(VersionID(rawValue: number), stamp)
        }
    }

    func stageStamp(of version: VersionID) -> FileStamp? {
        FileStamp(path: "\(stagePath)/\(Self.stageName(of: version))")
    }
}

internal import Glibc
internal import Shelf

/// What was verified, and when: the date of a record is that of the last time.
extension CacheDirectory {
    /// The numbers of everything that lies in the directory of contents, whatever is missing of it.
    func storedVersions() -> [VersionID] {
        var found: Set<VersionID> = []
        for folder in names(in: contentPath) {
            for name in names(in: "\(contentPath)/\(folder)") {
                let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[1] == "book" || parts[1] == "record", let number = Int64(parts[0]) else {
                    continue
                }
                let version = VersionID(rawValue: number)
                // One that lies elsewhere is never found.
                if folderPath(of: version) == "\(contentPath)/\(folder)" { found.insert(version) }
            }
        }
        return found.sorted()
    }

    /// Notes that a content is now as its record says.
    func noteVerified(_ version: VersionID) {
        let times = [timespec.omitted, timespec.kernelNow]
        _ = unsafe utimensat(AT_FDCWD, recordPath(of: version), times, AT_SYMLINK_NOFOLLOW)
    }

    /// When a content was last as its record says, in nanoseconds since 1970; `nil` if it has none.
    func verifiedAt(_ version: VersionID) -> Int64? {
        FileStamp(path: recordPath(of: version))?.modifiedAt
    }
}

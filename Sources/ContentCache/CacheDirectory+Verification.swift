internal import Glibc
internal import Shelf

/// What was verified, and when: the date of a record is that of the last time.
extension CacheDirectory {
    /// The numbers of everything that lies in the directory of contents, whatever is missing of it.
    func storedVersions() -> [VersionID] {
        var found: Set<VersionID> = []
        forEachName(in: contentPath) { folder in
            forEachName(in: "\(contentPath)/\(folder)") { name in
                let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[1] == "book" || parts[1] == "record", let number = Int64(parts[0]) else {
                    return
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
        // UTIME_OMIT and UTIME_NOW of utimensat(2), which Swift's Glibc module lacks.
        let times = [timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)]
        _ = unsafe utimensat(AT_FDCWD, recordPath(of: version), times, AT_SYMLINK_NOFOLLOW)
    }

    /// When a content was last as its record says, in nanoseconds since 1970; `nil` if it has none.
    func verifiedAt(_ version: VersionID) -> Int64? {
        FileStamp(path: recordPath(of: version))?.modifiedAt
    }
}

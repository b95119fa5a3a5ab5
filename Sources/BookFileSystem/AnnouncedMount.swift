package import FUSE

/// The mount on which announcements are made.
package protocol AnnouncedMount: Sendable {
    /// - Parameter path: Relative to the mount point.
    /// - Returns: Why it failed; `nil` if it didn't.
    func makeFile(_ path: String) -> Errno?

    /// - Parameter path: Relative to the mount point.
    /// - Returns: Why it failed; `nil` if it didn't.
    func makeDirectory(_ path: String) -> Errno?

    /// - Parameter path: Relative to the mount point.
    /// - Returns: Why it failed; `nil` if it didn't.
    func removeFile(_ path: String) -> Errno?

    /// - Parameter path: Relative to the mount point.
    /// - Returns: Why it failed; `nil` if it didn't.
    func removeDirectory(_ path: String) -> Errno?
}

extension AnnouncedPath: AnnouncedMount {}

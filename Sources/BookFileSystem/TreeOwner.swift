/// Who owns the files of a mount and what their permission bits are.
package struct TreeOwner: Sendable, Hashable {
    package var userID: UInt32
    package var groupID: UInt32

    /// Taken away from the permission bits.
    package var mask: UInt16

    /// - Parameters:
    ///   - userID: The mounting user's, or that of `uid=`.
    ///   - groupID: The mounting user's, or that of `gid=`.
    ///   - mask: That of `umask=`.
    package init(userID: UInt32, groupID: UInt32, mask: UInt16 = 0) {
        self.userID = userID
        self.groupID = groupID
        self.mask = mask
    }

    var filePermissions: UInt16 { 0o444 & ~mask }

    /// With the owner's write bit: `cp -r` would otherwise make directories that their owner can't delete from.
    var directoryPermissions: UInt16 { 0o755 & ~mask }
}

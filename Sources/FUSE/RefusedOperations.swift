internal import CFuse3
internal import Glibc

/// Everything that would change something: EROFS, whoever asks; EOPNOTSUPP for access control lists.
///
/// A kernel that hasn't mounted for a namespace passes those on even though they weren't agreed on.
///
/// What isn't here is refused by the kernel before it asks: O_TMPFILE (EOPNOTSUPP), write(2), fallocate(2) and
/// copy_file_range(2) to a file that can't have been opened for writing. Their functions are set all the same, so that
/// the promise doesn't rest on that.
func addRefusals(to table: inout fuse_lowlevel_ops) {
    unsafe table.setattr = { request, _, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.symlink = { request, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.link = { request, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.create = { request, _, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.write = { request, _, _, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.setxattr = { request, _, name, _, _, _ in
        unsafe Request(request).refuse(with: isAccessControlList(name) ? .notSupported : .readOnlyFileSystem)
    }
    unsafe table.removexattr = { request, _, name in
        unsafe Request(request).refuse(with: isAccessControlList(name) ? .notSupported : .readOnlyFileSystem)
    }
    unsafe table.fallocate = { request, _, _, _, _, _ in unsafe Request(request).refuse(with: .readOnlyFileSystem) }
    unsafe table.copy_file_range = { request, _, _, _, _, _, _, _, _ in
        unsafe Request(request).refuse(with: .readOnlyFileSystem)
    }
    // There are no links to read.
    unsafe table.readlink = { request, _ in unsafe Request(request).refuse(with: .invalidArgument) }
    unsafe table.ioctl = { request, _, _, _, _, _, _, _, _ in
        unsafe Request(request).refuse(with: .inappropriateControl)
    }
}

/// See acl(5).
private func isAccessControlList(_ name: UnsafePointer<CChar>?) -> Bool {
    guard let name = unsafe name else { return false }
    return unsafe strncmp(name, "system.posix_acl_", 17) == 0
}

internal import Glibc

/// The number by which the kernel knows a file that it reads without asking.
package struct BackingID: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

/// Files that the kernel reads by itself for those who have a file of the mount open.
///
/// Works for root on a mount that was made with ``MountOptions/wantsPassthrough`` where
/// ``MountedDevice/hasPassthrough`` says so, from kernel 6.9 on. The rules of the kernel for the opens of one inode are strict: as long
/// as any is in passthrough mode, every other must be too and with the same number; as long as any isn't, none may be. Whoever
/// breaks them makes open(2) fail with EIO.
///
/// Kernel: `FUSE_DEV_IOC_BACKING_OPEN`, `FUSE_DEV_IOC_BACKING_CLOSE`.
package struct BackingFiles: Sendable {
    private let device: CInt

    /// - Parameter device: Of the mount; borrowed.
    package init(device: CInt) {
        self.device = device
    }

    /// `struct fuse_backing_map`.
    private struct Map {
        var descriptor: CInt
        var flags: UInt32 = 0
        var padding: UInt64 = 0
    }

    /// Hands a file to the kernel, which keeps it open until it is withdrawn and nobody reads it any more, or the mount ends.
    ///
    /// - Parameter descriptor: Open for reading; may be closed afterwards.
    /// - Returns: What ``OpenAnswer/backing`` takes, as often as wanted, by whichever process serves the mount.
    /// - Throws: What ioctl(2) gives: EPERM without root or without passthrough, ELOOP for a file of a stacked file system.
    package func register(_ descriptor: CInt) throws(Errno) -> BackingID {
        var map = Map(descriptor: descriptor)
        // _IOW(229, 1, struct fuse_backing_map)
        let number = unsafe ioctl(device, 0x4010_E501, &map)
        guard number > 0 else { throw Errno.current }
        return BackingID(rawValue: number)
    }

    /// Takes a number back; what is open by it stays so.
    package func withdraw(_ id: BackingID) {
        var number = id.rawValue
        // _IOW(229, 2, uint32_t)
        _ = unsafe ioctl(device, 0x4004_E502, &number)
    }
}

/// A message to the kernel that is nothing but its header.
///
/// Kernel: `struct fuse_out_header`.
struct DeviceMessage {
    let byteCount: UInt32 = 16

    /// A negative error number, or the code of a notification where `unique` is 0.
    let error: Int32
    let unique: UInt64

    /// Makes the kernel send again, with a mark, whatever was read and not answered.
    ///
    /// Kernel: `FUSE_NOTIFY_RESEND`.
    static var resend: DeviceMessage { DeviceMessage(error: 7, unique: 0) }
}

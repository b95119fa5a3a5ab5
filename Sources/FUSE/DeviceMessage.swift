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

    /// Makes the kernel ask for every name again that it knows.
    ///
    /// Kernel: `FUSE_NOTIFY_INC_EPOCH`, from 6.16 on.
    static var forgetNames: DeviceMessage { DeviceMessage(error: 8, unique: 0) }
}

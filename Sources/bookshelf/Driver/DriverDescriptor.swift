/// The descriptors that the processes of a mount inherit, by the numbers under which they get them.
///
/// High enough that none of them is in use before it is passed.
enum DriverDescriptor {
    /// The profile's driver lock: whoever has it open under this number is part of the profile's one driver.
    static var lock: Int32 { 100 }

    /// The listening socket, on which commands wait while workers come and go.
    static var socket: Int32 { 101 }

    /// Where a process says that it is ready, or why it isn't.
    static var ready: Int32 { 102 }

    /// The FUSE device.
    static var device: Int32 { 103 }

    /// The announcement board.
    static var board: Int32 { 104 }

    /// The open counts by version.
    static var openCounts: Int32 { 105 }

    /// Which books the kernel reads by itself.
    static var backings: Int32 { 109 }

    /// A pipe: a byte in it says that there is something to announce.
    static var advance: Int32 { 106 }

    /// The writable clone of a read-only mount.
    static var clone: Int32 { 107 }

    /// The lock of the cache directory, which another profile may name as well.
    static var cacheLock: Int32 { 108 }

    /// All of them.
    static var all: ClosedRange<Int32> { 100...109 }
}

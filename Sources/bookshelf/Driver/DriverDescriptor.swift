/// The descriptors that the processes of a mount inherit, by the numbers under which they get them.
///
/// High enough that none of them is in use before it is passed.
enum DriverDescriptor {
    /// All of them.
    static var all: [Int32] {
        [
            lock, socket, ready, device, board, openCounts, backings, advance, clone, cacheLock, record, handover,
            advanceWriting, turn,
        ]
    }

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

    /// What those who come later find of those who came before: see ``DriverRecord``.
    static var record: Int32 { 110 }

    /// All that a part needs to know that is started as a program of its own: see ``Handover``.
    static var handover: Int32 { 111 }

    /// The other end of ``advance``, where a supervisor goes on as another program.
    static var advanceWriting: Int32 { 112 }

    /// A pipe: a byte in it tells a worker of another program that the one before is gone.
    static var turn: Int32 { 113 }
}

internal import CFuse3

/// Who makes a system call on the mount.
package struct Caller: Sendable, Hashable {
    /// Of the calling thread.
    ///
    /// A process's first thread has the number of the process. 0 where the caller lives in another process namespace.
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32

    package init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }

    /// Reads the context of a request that hasn't been answered.
    ///
    /// libfuse: `fuse_req_ctx`.
    @unsafe init(of request: fuse_req_t?) {
        guard let context = unsafe fuse_req_ctx(request) else {
            self.init(processID: 0, userID: .max, groupID: .max)
            return
        }
        unsafe self.init(processID: context.pointee.pid, userID: context.pointee.uid, groupID: context.pointee.gid)
    }
}

/// The flags of open(2), as the kernel passes them on.
package struct OpenFlags: RawRepresentable, Sendable, Hashable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }
}

/// What access(2) asks for.
package struct AccessMask: OptionSet, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The corresponding C constant is `X_OK`.
    package static let execute = AccessMask(rawValue: 1)

    /// The corresponding C constant is `W_OK`; answered EROFS before a file system sees it.
    package static let write = AccessMask(rawValue: 2)

    /// The corresponding C constant is `R_OK`.
    package static let read = AccessMask(rawValue: 4)
}

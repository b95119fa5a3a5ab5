internal import CFuse3
internal import Synchronization

/// Where libfuse's own words go.
///
/// libfuse has one log function a process and gives it no context: the only global state of this package.
package enum LibfuseLog {
    private static let sink = Mutex<(@Sendable (_ message: String) -> Void)?>(nil)

    /// Sends libfuse's messages, one line each, to `sink` instead of standard error; `nil` undoes that.
    ///
    /// A few that libfuse prints with perror(3) still go to standard error. ``MountedDevice`` needs it undone, because
    /// it reads there why a mount failed.
    ///
    /// - Parameter sink: Called from any thread that answers requests; must not wait.
    package static func send(to sink: (@Sendable (_ message: String) -> Void)?) {
        Self.sink.withLock { $0 = sink }
        guard sink != nil else { return cfuse3_set_log_sink(nil) }
        unsafe cfuse3_set_log_sink { _, message in
            let sink = Self.sink.withLock { $0 }
            var message = unsafe String(cString: message)
            while message.last?.isNewline == true { message.removeLast() }
            sink?(message)
        }
    }
}

/// A read that may still wait.
package struct PendingRead: Sendable {
    private let action: (@Sendable () -> Void)?

    /// - Parameter action: `nil` for a read that was answered.
    init(cancelling action: (@Sendable () -> Void)?) {
        self.action = action
    }

    /// Answers the read with ``ContentError/interrupted``, before this returns; nothing happens if it was answered.
    ///
    /// The flight goes on.
    package func cancel() {
        action?()
    }
}

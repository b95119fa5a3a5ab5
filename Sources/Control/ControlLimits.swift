/// What either side of the socket puts up with.
package struct ControlLimits: Sendable {
    /// The longest message, in bytes with its line feed.
    package var messageByteCount = 1 << 20

    /// How many commands are served at a time; further ones are refused.
    package var connectionCount = 16

    /// How long a command may take to send its request, or to take a message that was sent to it.
    package var exchange = Duration.seconds(10)

    package init() {}
}

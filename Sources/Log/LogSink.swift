/// Where finished lines go.
package protocol LogSink: Sendable {
    /// Takes one line, ended by a line feed; called from any thread, and must not wait.
    ///
    /// A line that can't be written is lost: the program goes on without it.
    func write(_ line: [UInt8])
}

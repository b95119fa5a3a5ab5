package import Arguments
package import Control
package import JSON
package import Settings
package import Terminal

/// Why a command didn't do what it was told, for the person who told it.
package struct Failure: Error, Hashable, Sendable {
    /// What a script sees: 1 it failed, 2 wrong usage.
    package let exitStatus: Int32

    /// What happened and what to do, in one sentence without its full stop.
    package let message: String

    package init(exitStatus: Int32, message: String) {
        self.exitStatus = exitStatus
        self.message = message
    }

    /// The command was understood, and failed.
    package static func failed(_ message: String) -> Failure {
        Failure(exitStatus: 1, message: message)
    }

    /// The command wasn't understood.
    package static func usage(_ message: String) -> Failure {
        Failure(exitStatus: 2, message: message)
    }

    /// What standard error shows: one line, whatever the message holds.
    package func line(program: String) -> String {
        "\(program): \(message)".safe
    }

    /// What a program reads instead of the result.
    package var json: JSONValue {
        ["error": ["reason": .string(message), "exitStatus": JSONValue(exitStatus)]]
    }
}

extension Failure {
    package init(_ error: ArgumentError, program: String) {
        self = .usage(error.reason(program: program))
    }

    package init(_ error: SettingsError) {
        self.init(exitStatus: error.isWrongUsage ? 2 : 1, message: error.reason)
    }

    package init(_ error: ControlError) {
        self = .failed(error.reason)
    }

    package init(_ error: OutputError) {
        self = .failed(error.reason)
    }
}

/// How much an event matters.
package enum LogLevel: String, Comparable, CaseIterable, Sendable {
    /// Something failed that a person asked for.
    case error

    /// Something failed that the program copes with, or will fail soon.
    case warning

    /// Something happened that happens a few times a day.
    case info

    /// Something happened that only somebody who looks for a fault wants to know.
    case debug

    /// 0 for what matters most.
    var rank: UInt8 {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }

    /// Whether `left` matters more than `right`.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }
}

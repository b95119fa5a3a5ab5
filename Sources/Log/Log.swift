internal import Glibc
internal import Synchronization

/// A log of events, each a sentence that never varies and fields that are public or redact themselves.
///
/// It is made by a composition root and handed to whoever needs it. Writing never waits for a reader of the log.
///
/// Lock order: the list of repeated events is locked for itself; sinks are called with nothing locked.
package final class Log: Sendable {
    private let process: String
    private let sinks: [any LogSink]
    private let clock: any LogClock
    private let threshold: Atomic<UInt8>
    private let repeats = Mutex(RepeatLimit())

    /// - Parameters:
    ///   - process: Which of the program's processes writes, for example `worker`.
    ///   - level: Events that matter less are left out.
    ///   - sinks: Each gets every line; none for a log that keeps silent.
    ///   - clock: Where its times come from.
    package init(process: String, level: LogLevel, sinks: [any LogSink], clock: any LogClock = SystemLogClock()) {
        self.process = process
        self.sinks = sinks
        self.clock = clock
        threshold = Atomic(level.rank)
    }

    /// A log that writes nothing, for work whose outcome somebody waits for.
    package static var silent: Log { Log(process: "none", level: .error, sinks: []) }

    /// Changes which events are left out, from now on.
    package func setLevel(_ level: LogLevel) {
        threshold.store(level.rank, ordering: .relaxed)
    }

    /// Whether events of `level` are written; to spare the making of costly fields.
    package func isWriting(_ level: LogLevel) -> Bool {
        !sinks.isEmpty && level.rank <= threshold.load(ordering: .relaxed)
    }

    /// Writes that something failed that a person asked for.
    ///
    /// - Parameters:
    ///   - event: A sentence without any of the facts; those are fields.
    ///   - fields: In the order in which they are written.
    ///   - key: If given, the event is written at most once a minute for each key, and the next line says how many were
    ///     left out.
    package func error(
        _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:], limitedBy key: String? = nil
    ) {
        write(.error, event, fields, limitedBy: key)
    }

    /// Writes that something failed that the program copes with; see ``error(_:_:limitedBy:)``.
    package func warning(
        _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:], limitedBy key: String? = nil
    ) {
        write(.warning, event, fields, limitedBy: key)
    }

    /// Writes what happens a few times a day; see ``error(_:_:limitedBy:)``.
    package func info(
        _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:], limitedBy key: String? = nil
    ) {
        write(.info, event, fields, limitedBy: key)
    }

    /// Writes what only somebody who looks for a fault wants to know; see ``error(_:_:limitedBy:)``.
    package func debug(
        _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue> = [:], limitedBy key: String? = nil
    ) {
        write(.debug, event, fields, limitedBy: key)
    }

    private func write(
        _ level: LogLevel, _ event: StaticString, _ fields: KeyValuePairs<StaticString, LogValue>,
        limitedBy key: String?
    ) {
        guard isWriting(level) else { return }
        var suppressedCount = 0
        if let key {
            let now = clock.uptime
            guard let count = repeats.withLock({ $0.admit("\(event) \(key)", at: now) }) else { return }
            suppressedCount = count
        }
        let line = LogLine.bytes(
            secondsSince1970: clock.secondsSince1970, level: level, processID: getpid(), process: process,
            event: event, fields: fields, suppressedCount: suppressedCount)
        for sink in sinks { sink.write(line) }
    }
}

/// How far some long work has come.
package struct ProgressState: Equatable, Sendable {
    package var doneCount = 0

    /// `nil` while nobody knows.
    package var totalCount: Int?
    package var doneByteCount: Int64 = 0
    package var totalByteCount: Int64?

    /// What is worked on, for people: a title, the name of a source.
    package var subject = ""

    package init() {}
}

/// Shows how far long work has come: a bar on a terminal, a line for each thing done elsewhere, or nothing.
///
/// Used by one thread. What can't be shown is not an error: the work itself goes on.
package final class ProgressDisplay {
    private enum Style {
        case bar
        case lines
        case none
    }

    /// The shortest time between two pictures of the bar.
    private static let interval = Duration.milliseconds(100)
    private let output: TextOutput
    private let style: Style
    private let verb: String
    private var drawnAt: ContinuousClock.Instant?
    private var shownCount: Int?

    /// - Parameters:
    ///   - verb: What is done to the subjects, for example `fetching`.
    ///   - output: Standard error, as a rule.
    ///   - isQuiet: Whether nothing is to be shown.
    package init(_ verb: String, on output: TextOutput, isQuiet: Bool) {
        self.verb = verb
        self.output = output
        style = isQuiet ? .none : output.isTerminal ? .bar : .lines
    }

    /// Shows a state, unless the last one was shown just before.
    package func show(_ state: ProgressState) {
        switch style {
        case .none: break
        case .lines:
            guard shownCount != state.doneCount else { return }
            shownCount = state.doneCount
            try? output.line(ProgressDisplay.line(verb, state))
            try? output.flush()
        case .bar:
            let now = ContinuousClock.now
            if let drawnAt, now - drawnAt < ProgressDisplay.interval { return }
            drawnAt = now
            // Back to the first column, and away with what stood there.
            try? output.write("\r\u{1B}[K" + ProgressDisplay.bar(verb, state, width: (output.columnCount ?? 80) - 1))
        }
    }

    /// Takes the bar away, so that a result can be printed.
    package func finish() {
        if style == .bar, drawnAt != nil { try? output.write("\r\u{1B}[K") }
        drawnAt = nil
    }

    /// The state as one line: `fetching 3 of 10: Oblomov`.
    package static func line(_ verb: String, _ state: ProgressState) -> String {
        let total = state.totalCount.map { " of \($0)" } ?? ""
        return "\(verb) \(state.doneCount)\(total)" + (state.subject.isEmpty ? "" : ": \(state.subject.safe)")
    }

    /// The state as a bar of `width` columns: `fetching [#####.....] 3/10  1.4 MiB of 20 MiB  Oblomov`.
    package static func bar(_ verb: String, _ state: ProgressState, width: Int) -> String {
        let fraction: Double? =
            if let total = state.totalByteCount, total > 0 {
                Double(state.doneByteCount) / Double(total)
            } else if let total = state.totalCount, total > 0 {
                Double(state.doneCount) / Double(total)
            } else {
                nil
            }
        var text = "\(verb) "
        if let fraction, width >= 40 {
            let filled = Int((min(max(fraction, 0), 1) * 20).rounded(.down))
            text += "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled) + "] "
        }
        text += state.totalCount.map { "\(state.doneCount)/\($0)" } ?? "\(state.doneCount)"
        if state.doneByteCount > 0 {
            text += "  " + ByteText.short(state.doneByteCount)
            if let total = state.totalByteCount { text += " of " + ByteText.short(total) }
        }
        if !state.subject.isEmpty { text += "  " + state.subject.safe }
        return text.fitted(to: max(0, width))
    }
}

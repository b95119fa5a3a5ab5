extension SettingType<Duration> {
    /// A number with its unit, for example `500ms`, `5s`, `15min`, `2h`, `30d`.
    static func duration(in range: ClosedRange<Duration>) -> SettingType {
        let examples = DurationText.examples.filter { range.contains($0) }.map(DurationText.render)
        let bounds = "from \(DurationText.render(range.lowerBound)) to \(DurationText.render(range.upperBound))"
        return SettingType(
            allowed: "a time \(bounds)" + (examples.isEmpty ? "" : ", such as \(examples.joined(separator: ", "))")
        ) { text in
            DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        } render: {
            DurationText.render($0)
        }
    }
}

extension SettingType<Duration?> {
    /// A time, or `none` for no limit.
    static func durationOrNone(in range: ClosedRange<Duration>) -> SettingType {
        let type = SettingType<Duration>.duration(in: range)
        return SettingType(allowed: "\(type.allowed), or none", words: ["none"]) { text in
            text == "none" ? .some(nil) : type.parse(text).map { $0 }
        } render: {
            $0.map(type.render) ?? "none"
        }
    }
}

/// Lengths of time as settings write them.
package enum DurationText {
    /// One with each unit, for those who have to write one.
    fileprivate static let examples: [Duration] = [
        .milliseconds(500), .seconds(5), .seconds(15 * 60), .seconds(2 * 3600), .seconds(30 * 86_400),
    ]

    /// From the largest unit to the smallest, in milliseconds.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads a whole number and its unit; `nil` for anything else, also for a number alone.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(digits.count)
        guard let number = Int64(digits), let unit = units.first(where: { $0.name == name }) else { return nil }
        let (milliseconds, isOverflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return isOverflow ? nil : .milliseconds(milliseconds)
    }

    /// Writes whole milliseconds in the largest unit that leaves no rest.
    package static func render(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let unit = units.first { milliseconds % $0.milliseconds == 0 && milliseconds >= $0.milliseconds }
        guard let unit else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}

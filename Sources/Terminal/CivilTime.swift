/// An instant as people and JSON write it.
package enum CivilTime {
    /// The instant in UTC by ISO 8601 to the second, for example `2026-11-30T08:00:00Z`.
    ///
    /// Years are held to those of four digits.
    package static func iso8601(_ secondsSince1970: Int64) -> String {
        // The first and the last second of the years 0 to 9999.
        let seconds = min(max(secondsSince1970, -62_167_219_200), 253_402_300_799)
        let day = floorDivide(seconds, by: 86_400)
        let second = seconds - day * 86_400
        let (year, month, date) = civil(day: day)
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(date, 2) + "T" + digits(second / 3600, 2) + ":"
            + digits(second / 60 % 60, 2) + ":" + digits(second % 60, 2) + "Z"
    }

    /// How long ago it was, or in how long it will be, for people: `3 minutes ago`, `in 2 hours`, or a date.
    package static func relative(_ secondsSince1970: Int64, now: Int64) -> String {
        let (difference, isOverflow) = now.subtractingReportingOverflow(secondsSince1970)
        let distance = difference.magnitude
        if isOverflow || distance >= 30 * 86_400 { return String(iso8601(secondsSince1970).prefix(10)) }
        if distance < 10 { return "just now" }
        let units: [(name: String, seconds: UInt64)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        let (name, length) = units.first { distance >= $0.seconds } ?? ("second", 1)
        let count = distance / length
        let amount = "\(count) \(name)\(count == 1 ? "" : "s")"
        return difference >= 0 ? "\(amount) ago" : "in \(amount)"
    }

    /// The time of day by the clock on the wall, for example `14:05`; with the date in front if that isn't today's.
    ///
    /// - Parameters:
    ///   - secondsSince1970: When it was.
    ///   - now: Seconds since 1970.
    ///   - offset: Of this place's time from UTC, in seconds.
    /// - Returns: Nothing that a terminal obeys.
    package static func clock(_ secondsSince1970: Int64, now: Int64, offset: Int64) -> String {
        let text = iso8601(secondsSince1970 + offset)
        let time = String(text.dropFirst(11).prefix(5))
        let day = text.prefix(10)
        return day == iso8601(now + offset).prefix(10) ? time : "\(day) \(time)"
    }

    /// The Gregorian date of a day counted from 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last of its year; 146097 days are 400 years.
    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 719468 days lie between 0000-03-01 and 1970-01-01.
        let shifted = day + 719_468
        let era = floorDivide(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    private static func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

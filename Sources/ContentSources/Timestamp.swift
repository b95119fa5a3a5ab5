/// Dates and times as catalogs write them.
///
/// ISO 8601 in the extended form, as RFC 3339 and the W3C note on date and time formats (which EPUB and Atom follow)
/// use it: `2024`, `2024-05`, `2024-05-31`, and with a time `2024-05-31T08:30`, `…:15`, `…:15.250`, followed by `Z`,
/// `+08:00`, `+0800` or `+08`. Without an offset it is UTC. A blank may stand for the `T`.
enum Timestamp {
    /// Seconds since 1970, fractions dropped; `nil` if `text` isn't such a date.
    static func seconds(_ text: String) -> Int64? {
        var scanner = Scanner(text)
        guard let day = scanner.day() else { return nil }
        if scanner.isAtEnd { return day * 86_400 }
        guard let time = scanner.time(), let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        return day * 86_400 + time - offset
    }

    /// Days from 1 January 1970 in the Gregorian calendar.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years are counted from March, so that the day of the leap year comes last.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private struct Scanner {
        private var rest: Substring.UTF8View

        init(_ text: String) {
            rest = Substring(text).utf8
        }

        var isAtEnd: Bool { rest.isEmpty }

        /// The day, in days since 1970.
        mutating func day() -> Int64? {
            guard let year = number(digits: 4), year > 0 else { return nil }
            guard take("-") else { return isAtEnd ? Timestamp.days(year: year, month: 1, day: 1) : nil }
            guard let month = number(digits: 2), (1...12).contains(month) else { return nil }
            guard take("-") else { return isAtEnd ? Timestamp.days(year: year, month: month, day: 1) : nil }
            guard let day = number(digits: 2), (1...Self.length(of: month, in: year)).contains(day) else { return nil }
            return Timestamp.days(year: year, month: month, day: day)
        }

        /// The time of day with its sign in front of it, in seconds.
        mutating func time() -> Int64? {
            guard take("T") || take("t") || take(" "), let hour = number(digits: 2), take(":"),
                let minute = number(digits: 2), minute < 60
            else { return nil }
            var second: Int64 = 0
            if take(":") {
                // 60 is a leap second.
                guard let seconds = number(digits: 2), seconds <= 60 else { return nil }
                second = seconds
                if take(".") || take(",") {
                    guard let first = rest.first, Self.isDigit(first) else { return nil }
                    rest = rest.drop(while: Self.isDigit)
                }
            }
            // 24:00:00 is the end of a day.
            guard hour < 24 || (hour == 24 && minute == 0 && second == 0) else { return nil }
            return hour * 3_600 + minute * 60 + second
        }

        /// The offset from UTC, in seconds.
        mutating func offset() -> Int64? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let isEast = take("+")
            guard isEast || take("-"), let hours = number(digits: 2), hours < 24 else { return nil }
            var minutes: Int64 = 0
            if !isAtEnd {
                _ = take(":")
                guard let number = number(digits: 2), number < 60 else { return nil }
                minutes = number
            }
            return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        private mutating func number(digits count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = rest.popFirst(), Self.isDigit(digit) else { return nil }
                value = value * 10 + Int64(digit - UInt8(ascii: "0"))
            }
            return value
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }

        private static func length(of month: Int64, in year: Int64) -> Int64 {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }
    }
}

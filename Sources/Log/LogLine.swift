internal import Glibc

/// An event as one line of text: `2026-11-30T08:00:00Z level=info pid=7 process=worker event="…" name=value`.
///
/// Values are quoted as soon as they hold anything but plain characters, and everything that could end the line, move the
/// cursor or turn the direction of the text is escaped. So neither a title nor a server's message can forge a line.
enum LogLine {
    /// The longest value that is written whole, in Unicode scalars.
    static let maximumValueLength = 1000

    /// The bytes of the line, with its line feed.
    static func bytes(
        secondsSince1970: Int64, level: LogLevel, processID: Int32, process: String, event: StaticString,
        fields: some Sequence<(key: StaticString, value: LogValue)>, suppressedCount: Int
    ) -> [UInt8] {
        var line = timestamp(secondsSince1970)
        line += " level=\(level.rawValue) pid=\(processID) process=\(quoted(process)) event=\(quoted("\(event)"))"
        for (key, value) in fields {
            line += " \(key)=\(quoted(value.text(at: level)))"
        }
        if suppressedCount > 0 { line += " suppressed=\(suppressedCount)" }
        line += "\n"
        return Array(line.utf8)
    }

    /// The instant in UTC by ISO 8601, to the second.
    private static func timestamp(_ secondsSince1970: Int64) -> String {
        var seconds = time_t(secondsSince1970)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let date = unsafe [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map(twoDigits)
        let time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":"))Z"
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The text as it is, where it is plain; else in quotes with escapes as Go and JSON readers know them.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._:/+@%~<>,".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty, text.utf8.count <= maximumValueLength { return text }

        var quoted = "\""
        for (position, scalar) in text.unicodeScalars.enumerated() {
            guard position < maximumValueLength else {
                quoted += "…"
                break
            }
            switch scalar {
            case "\"", "\\":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isUnsafe(scalar): quoted += escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Whether a reader of the log could be misled by it: controls, format characters, separators of lines.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    /// `\u` and four digits, or `\U` and eight.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let width = scalar.value > 0xFFFF ? 8 : 4
        return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.count) + digits
    }
}

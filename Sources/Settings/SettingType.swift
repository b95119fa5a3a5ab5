/// How the text of a setting becomes a value, and a value text.
package struct SettingType<Value: Sendable>: Sendable {
    /// What the setting takes, as the end of a sentence that begins “must be”.
    package let allowed: String

    /// The words that it takes, where there are only some; for completion.
    package let words: [String]
    let parse: @Sendable (String) -> Value?
    let render: @Sendable (Value) -> String

    init(
        allowed: String, words: [String] = [], parse: @escaping @Sendable (String) -> Value?,
        render: @escaping @Sendable (Value) -> String
    ) {
        self.allowed = allowed
        self.words = words
        self.parse = parse
        self.render = render
    }
}

extension SettingType<Bool> {
    /// `yes` or `no`, also as `on`, `true`, `1` and their opposites.
    static var yesOrNo: SettingType {
        SettingType(allowed: "yes or no", words: ["yes", "no"]) { text in
            switch text.lowercased() {
            case "yes", "on", "true", "1": true
            case "no", "off", "false", "0": false
            default: nil
            }
        } render: {
            $0 ? "yes" : "no"
        }
    }
}

extension SettingType<Int> {
    /// A whole number.
    static func integer(in range: ClosedRange<Int>) -> SettingType {
        SettingType(allowed: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        } render: {
            String($0)
        }
    }
}

extension SettingType<String> {
    /// Any text that isn't empty.
    static func text(_ what: String, maximumByteCount: Int = 1000) -> SettingType {
        SettingType(allowed: "\(what), at most \(maximumByteCount) bytes") { text in
            text.isEmpty || text.utf8.count > maximumByteCount ? nil : text
        } render: {
            $0
        }
    }
}

extension SettingType<String?> {
    /// A path that is absolute or begins with `~/`; without one, the place that belongs to the profile.
    static var path: SettingType {
        SettingType(allowed: "an absolute path or one that begins with ~/, or “default”", words: ["default"]) { text in
            if text == "default" { return .some(nil) }
            guard text.hasPrefix("/") || text.hasPrefix("~/") else { return nil }
            return text
        } render: {
            $0 ?? "default"
        }
    }
}

extension SettingType<[String]> {
    /// Words separated by commas or blanks, of those in `words` if there are any; `none` for no word.
    static func list(_ what: String, of words: [String]? = nil) -> SettingType {
        let allowed = words.map { "\(what): \($0.joined(separator: ", ")), separated by commas, or none" }
        return SettingType(
            allowed: allowed ?? "\(what), separated by commas, or none", words: words.map { $0 + ["none"] } ?? []
        ) { text in
            let items = text.split { ", \t".contains($0) }.map(String.init)
            if items == ["none"] { return [] }
            if let words, !items.allSatisfy(words.contains) { return nil }
            return items.isEmpty || Set(items).count < items.count ? nil : items
        } render: {
            $0.isEmpty ? "none" : $0.joined(separator: ",")
        }
    }
}

extension SettingType where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    static var choice: SettingType {
        let words = Value.allCases.map(\.rawValue)
        return SettingType(allowed: words.joined(separator: ", ").replacingLast(", ", by: " or "), words: words) {
            text in
            Value(rawValue: text)
        } render: {
            $0.rawValue
        }
    }
}

extension String {
    /// The text with the last occurrence of `separator` exchanged.
    fileprivate func replacingLast(_ separator: String, by replacement: String) -> String {
        var parts = split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return self }
        let last = parts.removeLast()
        return parts.joined(separator: separator) + replacement + last
    }
}

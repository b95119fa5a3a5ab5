/// How much room something may take: a number of bytes, a share of the free space, or the smaller of both.
package struct SizeLimit: Hashable, Sendable {
    /// In bytes; `nil` for no such limit.
    package var byteCount: Int64?

    /// In hundredths of the space that is free or taken already; `nil` for no such limit.
    package var percentage: Int?

    package init(byteCount: Int64? = nil, percentage: Int? = nil) {
        self.byteCount = byteCount
        self.percentage = percentage
    }

    /// The limit in bytes.
    ///
    /// `availableByteCount` is what is free, together with what this very thing takes already: the limit of a cache must
    /// not shrink because the cache fills.
    package func byteCount(ofAvailable availableByteCount: Int64) -> Int64 {
        let share = percentage.map { percentage in
            // In this order, so that no number of bytes overflows.
            availableByteCount / 100 * Int64(percentage) + availableByteCount % 100 * Int64(percentage) / 100
        }
        return min(byteCount ?? .max, share ?? .max)
    }
}

extension SettingType<SizeLimit> {
    /// Bytes with a binary unit, a percentage, or both.
    static var sizeLimit: SettingType {
        SettingType(allowed: "a size such as 16M, 10G or 70%, or two such as 10G,70% of which the smaller holds") {
            text in
            var limit = SizeLimit()
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            for part in parts {
                let part = part.trimmingBlanks()
                if part.hasSuffix("%"), limit.percentage == nil, let number = Int(part.dropLast()) {
                    guard (1...100).contains(number), !part.hasPrefix("+") else { return nil }
                    limit.percentage = number
                } else if limit.byteCount == nil, let number = SizeText.parse(part) {
                    limit.byteCount = number
                } else {
                    return nil
                }
            }
            return limit
        } render: { limit in
            [limit.byteCount.map(SizeText.render), limit.percentage.map { "\($0)%" }].compactMap { $0 }
                .joined(separator: ",")
        }
    }
}

/// Numbers of bytes as settings write them, with units of 1024.
package enum SizeText {
    /// From the largest to the smallest.
    private static let units: [(name: String, shift: Int64)] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)]

    /// Reads a whole number above 0 with a unit or none, for example `16M`, `16MiB` or `16777216`.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number > 0 else { return nil }
        let name = text.dropFirst(digits.count).uppercased()
        if name.isEmpty || name == "B" { return number }
        guard let unit = units.first(where: { [$0.name, "\($0.name)B", "\($0.name)IB"].contains(name) }) else {
            return nil
        }
        let (byteCount, isOverflow) = number.multipliedReportingOverflow(by: 1 << unit.shift)
        return isOverflow ? nil : byteCount
    }

    /// Writes bytes in the largest unit that leaves no rest.
    package static func render(_ byteCount: Int64) -> String {
        guard let unit = units.first(where: { byteCount % (1 << $0.shift) == 0 && byteCount > 0 }) else {
            return String(byteCount)
        }
        return "\(byteCount >> unit.shift)\(unit.name)"
    }
}

extension StringProtocol {
    /// The text without blanks and tabulators at its ends.
    func trimmingBlanks() -> SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let end = lastIndex(where: { !isBlank($0) }) else { return self[endIndex...] }
        return self[...end].drop(while: isBlank)
    }
}

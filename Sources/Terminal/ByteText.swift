/// Numbers of bytes as people read them.
package enum ByteText {
    /// The number with three significant digits at most and a unit of 1024, for example `1.4 MiB`.
    package static func short(_ byteCount: Int64) -> String {
        guard byteCount >= 1024 else { return "\(byteCount) B" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var index = 0
        var value = Double(byteCount) / 1024
        while value >= 1023.5, index < units.count - 1 {
            value /= 1024
            index += 1
        }
        // 9.96 would be rounded to 10.0.
        let tenths = Int((value * 10).rounded())
        return tenths < 100
            ? "\(tenths / 10).\(tenths % 10) \(units[index])" : "\(Int(value.rounded())) \(units[index])"
    }
}

import Foundation
import Terminal
import Testing

@Suite("Times and sizes")
struct FiguresTests {
    @Test(
        "An instant is written by ISO 8601 in UTC",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_796_025_600, "2026-11-30T08:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-2_203_891_200, "1900-03-01T00:00:00Z"),
            (.max, "9999-12-31T23:59:59Z"), (.min, "0000-01-01T00:00:00Z"),
        ])
    func iso8601(_ seconds: Int64, _ text: String) {
        #expect(CivilTime.iso8601(seconds) == text)
    }

    @Test("Every day of four centuries has the date that the system gives it")
    func calendar() {
        for day in Int64(-60_000)..<90_000 {
            var seconds = time_t(day * 86_400 + 43_200)
            var parts = unsafe tm()
            unsafe gmtime_r(&seconds, &parts)
            let expected = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
            let fields = CivilTime.iso8601(Int64(seconds)).prefix(10).split(separator: "-").compactMap { Int32($0) }
            guard fields == [expected.0, expected.1, expected.2] else {
                Issue.record("day \(day): \(fields)")
                return
            }
        }
    }

    @Test(
        "A time near now is written as people say it",
        arguments: [
            (Int64(1_000_000), "just now"), (999_991, "just now"), (1_000_009, "just now"), (999_970, "30 seconds ago"),
            (999_940, "1 minute ago"),
            (996_401, "59 minutes ago"), (992_800, "2 hours ago"), (913_600, "1 day ago"), (1_007_200, "in 2 hours"),
            (-1_592_001, "1969-12-13"), (.min, "0000-01-01"), (.max, "9999-12-31"),
        ])
    func relative(_ seconds: Int64, _ text: String) {
        #expect(CivilTime.relative(seconds, now: 1_000_000) == text)
    }

    @Test(
        "A number of bytes has at most three significant digits and no digits are rounded to a thousand",
        arguments: [
            (Int64(0), "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_239, "10 KiB"),
            (1_048_575, "1.0 MiB"),
            (1_468_006, "1.4 MiB"), (10 << 30, "10 GiB"), (.max, "8.0 EiB"),
        ])
    func bytes(_ count: Int64, _ text: String) {
        #expect(ByteText.short(count) == text)
    }
}

import Log
import Synchronization
import Testing

@Suite("Log")
struct LogTests {
    private let sink = RecordingSink()
    private let clock = SteppedClock()

    private func makeLog(level: LogLevel = .info) -> Log {
        Log(process: "worker", level: level, sinks: [sink], clock: clock)
    }

    @Test("An event is one line with time, level, process and fields in order")
    func line() {
        makeLog().warning("transfer failed", ["book": .public(7), "source": .public("shop"), "again": .public(true)])
        let line = sink.lines.first ?? ""
        #expect(line.hasPrefix("2026-11-30T08:00:00Z level=warning pid="))
        #expect(line.hasSuffix(" process=worker event=\"transfer failed\" book=7 source=shop again=true\n"))
    }

    @Test(
        "No value can end its line, close its quotes or move a cursor",
        arguments: [
            "a\nlevel=error event=forged", "a\r\nb", "a\" level=error b=\"", "\u{1B}[2J", "\u{9B}31m", "a\u{2028}b",
            "a\u{202E}b",
            "back\\slash\\", "\u{0}", "\u{7F}", "\u{E0001}",
        ])
    func hostileValues(_ title: String) {
        makeLog().info("book added", ["title": .public(title)])
        let line = sink.lines.first ?? ""
        #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
        #expect(line.hasSuffix("\"\n"))
        #expect(!line.unicodeScalars.contains { ["\u{2028}", "\u{202E}", "\u{E0001}"].contains($0) })

        // Two quotes that aren't escaped for the event, two for the title.
        var isEscaped = false
        var quoteCount = 0
        for character in line.unicodeScalars {
            if character == "\"", !isEscaped { quoteCount += 1 }
            isEscaped = character == "\\" && !isEscaped
        }
        #expect(quoteCount == 4)
    }

    @Test("Text of every script is written as it is; an empty value is a pair of quotes; a long one is cut")
    func quoting() {
        makeLog().info(
            "book added",
            ["title": .public("红楼梦"), "series": .public(""), "text": .public(String(repeating: "x", count: 5000))])
        let line = sink.lines.first ?? ""
        #expect(line.contains(" title=\"红楼梦\" series=\"\" text=\"xxx"))
        #expect(line.hasSuffix("x…\"\n"))
        #expect(line.utf8.count < 1300)
    }

    @Test("Events below the level are left out, and the level can change")
    func level() {
        let log = makeLog(level: .warning)
        log.info("one")
        log.debug("two")
        log.warning("three")
        #expect(!log.isWriting(.debug))
        log.setLevel(.debug)
        log.debug("four")
        log.error("five")
        #expect(log.isWriting(.debug))
        #expect(sink.events == ["three", "four", "five"])
    }

    @Test("A silent log writes nothing, so that nobody makes fields for it")
    func silent() {
        #expect(LogLevel.allCases.allSatisfy { !Log.silent.isWriting($0) })
    }

    @Test("A repeated event is written once a minute for each key, and the next line counts what was left out")
    func repeats() {
        let log = makeLog()
        for _ in 0..<5 { log.warning("source failing", limitedBy: "shop") }
        log.warning("source failing", limitedBy: "library")
        log.warning("another event", limitedBy: "shop")
        #expect(sink.lines.count == 3)

        clock.advance(by: .seconds(59))
        log.warning("source failing", limitedBy: "shop")
        #expect(sink.lines.count == 3)

        clock.advance(by: .seconds(1))
        log.warning("source failing", limitedBy: "shop")
        #expect(sink.lines.last?.hasSuffix(" suppressed=5\n") == true)

        clock.advance(by: .seconds(60))
        log.warning("source failing", limitedBy: "shop")
        #expect(sink.lines.last?.contains("suppressed") == false)
    }

    @Test("Ten thousand different keys don't make it grow without bound, and the latest are still limited")
    func repeatsBounded() {
        let log = makeLog()
        for key in 0..<10_000 {
            clock.advance(by: .milliseconds(1))
            log.warning("source failing", limitedBy: "\(key)")
        }
        #expect(sink.lines.count == 10_000)
        log.warning("source failing", limitedBy: "9999")
        log.warning("source failing", limitedBy: "9800")
        #expect(sink.lines.count == 10_000)
        log.warning("source failing", limitedBy: "0")
        #expect(sink.lines.count == 10_001)
    }
}

// MARK: - Fakes

/// Keeps the lines it gets.
private final class RecordingSink: LogSink {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    /// The events of the lines that are one word.
    var events: [String] {
        lines.map { line in
            line.split(separator: " ").first { $0.hasPrefix("event=") }.map {
                String($0.dropFirst(6)).filter(\.isLetter)
            } ?? ""
        }
    }

    func write(_ line: [UInt8]) {
        state.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
}

/// A clock that stands still until it is told.
private final class SteppedClock: LogClock {
    private let elapsed = Mutex(Duration.zero)

    let secondsSince1970: Int64 = 1_796_025_600
    var uptime: Duration { elapsed.withLock { $0 } }

    func advance(by interval: Duration) {
        elapsed.withLock { $0 += interval }
    }
}

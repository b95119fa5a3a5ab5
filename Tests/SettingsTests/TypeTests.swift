import Settings
import Testing

@Suite("Setting types")
struct TypeTests {
    @Test(
        "A duration is a number and its unit",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("15min", .seconds(900)),
            ("2h", .seconds(7200)),
            ("30d", .seconds(2_592_000)), ("0s", .zero), ("007s", .seconds(7)),
        ])
    func duration(_ text: String, _ value: Duration) {
        #expect(DurationText.parse(text) == value)
    }

    @Test(
        "Anything else isn't a duration",
        arguments: [
            "", "5", "s", "5 s", "-5s", "+5s", "5S", "5m", "1.5h", "5s ", "99999999999999999999s",
            "9223372036854775807h", "٥s",
        ])
    func noDuration(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        "A duration is written in the largest unit that leaves no rest",
        arguments: ["500ms", "90s", "15min", "36h", "2d", "1500ms", "0ms"])
    func durationText(_ text: String) throws {
        #expect(DurationText.render(try #require(DurationText.parse(text))) == text)
    }

    @Test("What a duration takes is told with examples that it takes")
    func durationExamples() throws {
        for declaration in Settings.declarations where declaration.allowed.hasPrefix("a time from") {
            let examples = try #require(declaration.allowed.split(separator: ", such as ").last)
            for example in examples.split(separator: ", ") where example != "or none" {
                #expect(declaration.read(String(example)) != nil, "\(declaration.name): \(example)")
            }
            #expect(declaration.range.hasPrefix("A time from ") && declaration.range.hasSuffix("."))
        }
        #expect(!Setting.syncInterval.allowed.contains("500ms"))
        #expect(Setting.readDeadline.allowed.contains("500ms"))
    }

    @Test(
        "A size is a number with a binary unit",
        arguments: [
            ("16M", Int64(16) << 20), ("10G", 10 << 30), ("1T", 1 << 40), ("1KiB", 1024), ("2mb", 2 << 20),
            ("512", 512), ("7B", 7),
        ])
    func size(_ text: String, _ value: Int64) {
        #expect(SizeText.parse(text) == value)
    }

    @Test(
        "Anything else isn't a size",
        arguments: ["", "0", "0G", "-1G", "1.5G", "1 G", "1X", "G", "9223372036854775807K", "70%"])
    func noSize(_ text: String) {
        #expect(SizeText.parse(text) == nil)
    }

    @Test("Of a size and a share of the available space the smaller holds")
    func limit() throws {
        let both = try Settings(environment: ["BOOKSHELF_CACHE_MAX_SIZE": "10G, 70%"])[.cacheMaximumSize]
        #expect(both == SizeLimit(byteCount: 10 << 30, percentage: 70))
        #expect(both.byteCount(ofAvailable: 1000) == 700)
        #expect(both.byteCount(ofAvailable: 199) == 139)
        #expect(both.byteCount(ofAvailable: .max) == 10 << 30)
        #expect(SizeLimit(percentage: 100).byteCount(ofAvailable: .max) == .max)
    }

    @Test(
        "Every default is a value that its setting takes, and reads back as it is written",
        arguments: Settings.declarations.map(\.name))
    func defaults(_ name: String) throws {
        let declaration = try #require(Settings.declaration(named: name))
        #expect(declaration.read(declaration.defaultText)?.text == declaration.defaultText)
        #expect(!declaration.help.isEmpty)
        for word in declaration.words { #expect(declaration.read(word) != nil, "\(word)") }
    }

    @Test(
        "Each setting refuses what it can't be",
        arguments: [
            ("layout", ""), ("views", "authors,shelves"), ("views", "authors,authors"), ("views", ""),
            ("samples", "sometimes"),
            ("split-categories", "maybe"), ("sync.interval", "0s"), ("sync.interval", "31d"), ("connect.timeout", "5"),
            ("read.deadline", "none"), ("fetch.connections", "0"), ("fetch.connections", "65"),
            ("fetch.connections", "six"),
            ("cache.directory", "relative/path"), ("cache.max-size", "0%"), ("cache.max-size", "101%"),
            ("cache.max-size", "1G,2G"),
            ("cache.max-size", "10%,20%"), ("cache.max-size", "+5%"), ("cache.max-size", "1G,"),
            ("cache.max-age", "1s"),
            ("passthrough", "auto"), ("log.level", "verbose"),
        ])
    func refuses(_ name: String, _ text: String) throws {
        let declaration = try #require(Settings.declaration(named: name))
        #expect(declaration.read(text) == nil)
    }
}

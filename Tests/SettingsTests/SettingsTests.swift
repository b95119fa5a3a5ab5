import Log
import Settings
import Testing

@Suite("Settings")
struct SettingsTests {
    @Test("The settings are those of the documentation")
    func names() {
        #expect(
            Settings.declarations.map(\.name) == [
                "layout", "views", "samples", "split-categories", "category-from", "sync.interval", "connect.timeout",
                "stall.timeout", "read.deadline", "fetch.connections", "s3.endpoint", "s3.region",
                "cache.directory", "cache.max-size",
                "cache.max-age",
                "cache.local", "materialise.deny", "passthrough", "thumbnails", "log.level", "log.file",
            ])
        #expect(Settings.declaration(named: "cache.max-size")?.environmentName == "BOOKSHELF_CACHE_MAX_SIZE")
    }

    @Test("Without any layer the defaults hold")
    func defaults() throws {
        let settings = try Settings()
        #expect(settings[.readDeadline] == .seconds(60))
        #expect(settings[.connectTimeout] == .seconds(15))
        #expect(settings[.samples] == .auto)
        #expect(settings[.views] == [])
        #expect(settings[.cacheMaximumAge] == nil)
        #expect(settings[.logLevel] == .info)
        #expect(settings[.deniedPrograms].contains("tumblerd"))
        #expect(settings.all.allSatisfy { $0.place == .standard && $0.lockedBy == nil })
        #expect(settings.all.count == Settings.declarations.count)
    }

    @Test(
        "A flag goes before the environment, that before the user's file, the remote configuration and the system file")
    func order() throws {
        let flags = SettingsLayer(entries: [.init(name: "layout", text: "flat", place: .flag("--layout"))])
        let environment = ["BOOKSHELF_LAYOUT": "author", "BOOKSHELF_SAMPLES": "always", "BOOKSHELF_PROFILE": "x"]
        let user = layer(.user(path: "/u", line: 1), ["layout": "kavita", "samples": "never", "views": "titles"])
        let remote = SettingsLayer(remote: ["layout": "komga", "views": "none", "log.level": "debug"])
        let system = layer(.system(path: "/s", line: 1), ["log.level": "error", "read.deadline": "5s"])
        let settings = try Settings(flags: flags, environment: environment, user: user, remote: remote, system: system)

        #expect(settings[.layout] == "flat")
        #expect(settings[.samples] == .always)
        #expect(settings[.views] == ["titles"])
        #expect(settings[.logLevel] == .debug)
        #expect(settings[.readDeadline] == .seconds(5))
        let places = ["layout", "samples", "views", "log.level", "read.deadline", "thumbnails"].map {
            settings.resolved($0)?.place.word
        }
        #expect(places == ["flag", "environment", "user", "remote", "system", "default"])
        #expect(settings.notices.isEmpty)
    }

    @Test("What the system file locks has its value or the default, and a flag for it is refused")
    func systemLock() throws {
        let lock = SettingPlace.system(path: "/s", line: 9)
        let system = SettingsLayer(
            entries: [.init(name: "layout", text: "author", place: .system(path: "/s", line: 1))],
            locks: ["layout": lock, "samples": lock])
        let user = layer(.user(path: "/u", line: 2), ["layout": "flat", "samples": "always"])
        let remote = SettingsLayer(remote: ["layout": "komga"])
        let settings = try Settings(
            environment: ["BOOKSHELF_LAYOUT": "kavita"], user: user, remote: remote, system: system)
        #expect(settings[.layout] == "author")
        #expect(settings[.samples] == .auto)
        #expect(settings.resolved("layout")?.lockedBy == lock)
        #expect(settings.notices.count == 4)
        #expect(settings.notices.contains { $0.contains("/u:2") && $0.contains("layout") && $0.contains("/s:9") })

        let flags = SettingsLayer(entries: [.init(name: "layout", text: "flat", place: .flag("--layout"))])
        let error = #expect(throws: SettingsError.locked(name: "layout", by: lock)) {
            try Settings(flags: flags, system: system)
        }
        #expect(error?.isWrongUsage == false)
    }

    @Test("What the remote configuration locks has its value, or that of the system file")
    func remoteLock() throws {
        let remote = SettingsLayer(remote: ["layout": "komga"], locks: ["layout", "samples", "unheard.of"])
        let user = layer(.user(path: "/u", line: 1), ["layout": "flat", "samples": "always"])
        let system = layer(.system(path: "/s", line: 1), ["samples": "never"])
        let settings = try Settings(user: user, remote: remote, system: system)
        #expect(settings[.layout] == "komga")
        #expect(settings[.samples] == .never)
        #expect(settings.resolved("samples")?.lockedBy == .remote)
    }

    @Test("What the remote configuration can't be used for is a notice, and the rest holds")
    func remoteNonsense() throws {
        let remote = SettingsLayer(remote: ["layout": "komga", "views": "shelves", "invented": "1"])
        let settings = try Settings(remote: remote)
        #expect(settings[.layout] == "komga")
        #expect(settings[.views] == [])
        #expect(settings.notices.count == 2)
    }

    @Test("A value that can't be is refused with its place and what is allowed")
    func badValue() throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings(environment: ["BOOKSHELF_SAMPLES": "sometimes"])
        }
        #expect(
            error?.reason
                == "environment variable BOOKSHELF_SAMPLES: samples must be auto, always or never, not “sometimes”")
        #expect(error?.isWrongUsage == true)
    }

    @Test("A name that isn't one is refused with its place and the nearest name")
    func unknownName() {
        let error = #expect(throws: SettingsError.self) {
            try Settings(user: layer(.user(path: "/u.conf", line: 3), ["read.dedline": "5s"]))
        }
        #expect(error?.reason == "/u.conf:3: no setting is called “read.dedline”; did you mean read.deadline?")
    }

    @Test("A system file can't lock what isn't a setting")
    func unknownLock() {
        let system = SettingsLayer(entries: [], locks: ["layuot": .system(path: "/s", line: 1)])
        let error = #expect(throws: SettingsError.self) { try Settings(system: system) }
        #expect(error?.reason == "/s:1: no setting is called “layuot”; did you mean layout?")
    }

    @Test("A value is checked, and written in one way, before it goes to a file")
    func check() throws {
        #expect(try Settings.check("ON", for: "thumbnails", at: .flag("--x")) == "yes")
        #expect(try Settings.check("60s", for: "sync.interval", at: .flag("--sync-interval")) == "1min")
        #expect(throws: SettingsError.self) {
            try Settings.check("1", for: "sync.interval", at: .flag("--sync-interval"))
        }
    }

    private func layer(_ place: SettingPlace, _ values: KeyValuePairs<String, String>) -> SettingsLayer {
        SettingsLayer(entries: values.map { .init(name: $0.key, text: $0.value, place: place) })
    }
}

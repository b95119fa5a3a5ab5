import Foundation
import Settings
import Testing

@Suite("Settings file")
struct SettingsFileTests {
    @Test(
        "Names stand whole before the first section, or without it below one; comments and blank lines are passed over")
    func reading() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            let text = """
                \u{FEFF}# mine
                layout = {author_sort}/{title} ; {id} # all of it

                ; old style
                sync.interval: 5min
                [cache]
                max-size = 1G
                  max-age=30d
                """
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let layer = try #require(try SettingsFile.read(path, of: .user))
            #expect(layer.entries.map(\.name) == ["layout", "sync.interval", "cache.max-size", "cache.max-age"])
            #expect(layer.entries.map(\.text) == ["{author_sort}/{title} ; {id} # all of it", "5min", "1G", "30d"])
            #expect(layer.entries.map(\.place) == [2, 5, 7, 8].map { .user(path: path, line: $0) })
            let settings = try Settings(user: layer)
            #expect(settings[.cacheMaximumSize] == SizeLimit(byteCount: 1 << 30))
        }
    }

    @Test("A file that isn't there sets nothing")
    func missing() throws {
        #expect(try SettingsFile.read("/nonexistent/a.conf", of: .system) == nil)
    }

    @Test("A line of four thousand bytes is read whole; a longer one is refused with its number")
    func longLine() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            let long = String(repeating: "x", count: 4087)
            try "layout = \(long)\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try SettingsFile.read(path, of: .user)?.entries.first?.text == long)

            try "\nlayout = \(long)x\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(
                throws: SettingsError.malformed(
                    place: .user(path: path, line: 2), reason: "longer than 4096 bytes")
            ) { try SettingsFile.read(path, of: .user) }
        }
    }

    @Test(
        "What isn't a settings file is refused with its line",
        arguments: [
            ("layout\n", 1), ("a = 1\n\n[open\n", 3), ("a = 1\nb = \u{0}\n", 2), ("a = 1\na = 2\n", 2),
            ("lock = layout\n", 1),
            ("# x\nnonsense\nlayout = flat\n", 2),
        ])
    func malformed(_ text: String, _ line: Int) throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            try Data(text.utf8).write(to: URL(filePath: path))
            let error = #expect(throws: SettingsError.self) { try SettingsFile.read(path, of: .user) }
            #expect(error?.reason.hasPrefix("\(path):\(line): ") == true)
            #expect(error?.isWrongUsage == true)
        }
    }

    @Test("Bytes that aren't UTF-8, a large file, a directory and a pipe are refused without waiting")
    func unreadable() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            try Data([0x61, 0x3D, 0xFF]).write(to: URL(filePath: path))
            #expect(throws: SettingsError.self) { try SettingsFile.read(path, of: .user) }
            try Data(repeating: 0x0A, count: SettingsFile.maximumByteCount + 1).write(to: URL(filePath: path))
            #expect(throws: SettingsError.unreadable(path: path, reason: "it is larger than 64 KiB")) {
                try SettingsFile.read(path, of: .user)
            }
            #expect(throws: SettingsError.self) { try SettingsFile.read(directory, of: .user) }
            let isMade = unsafe mkfifo("\(directory)/pipe", 0o600) == 0
            try #require(isMade)
            #expect(throws: SettingsError.unreadable(path: "\(directory)/pipe", reason: "it isn't an ordinary file")) {
                try SettingsFile.read("\(directory)/pipe", of: .user)
            }
        }
    }

    @Test("The system file locks the settings that it names")
    func locks() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            try "layout = flat\nlock = layout, samples\n".write(toFile: path, atomically: false, encoding: .utf8)
            let layer = try #require(try SettingsFile.read(path, of: .system))
            #expect(layer.locks == ["layout": .system(path: path, line: 2), "samples": .system(path: path, line: 2)])
            #expect(layer.entries.map(\.name) == ["layout"])
        }
    }

    @Test("Changing a setting keeps every other line, and the file is private")
    func editing() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/new/a.conf"
            try SettingsFile.write(["layout": "flat", "views": "titles,recent"], to: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "layout = flat\nviews = titles,recent\n")
            #expect(try permissions(of: path) == 0o600)
            #expect(try permissions(of: "\(directory)/new") == 0o700)

            let text = "# mine\nlayout = flat\n\n[cache]\n# room\nmax-size = 1G\nmax-age = 1d"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try SettingsFile.write(
                ["layout": "author", "cache.max-size": "2G", "cache.max-age": nil, "samples": "never", "views": nil],
                to: path)
            #expect(
                try String(contentsOfFile: path, encoding: .utf8)
                    == "# mine\nlayout = author\n\nsamples = never\n[cache]\n# room\nmax-size = 2G\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/new") == ["a.conf"])
            let settings = try Settings(user: SettingsFile.read(path, of: .user))
            #expect(settings[.cacheMaximumSize].byteCount == 2 << 30)
        }
    }

    @Test("A symbolic link to the file stays one")
    func link() throws {
        try withTemporaryDirectory { directory in
            try "layout = flat\n".write(toFile: "\(directory)/real.conf", atomically: false, encoding: .utf8)
            try FileManager.default.createDirectory(atPath: "\(directory)/c", withIntermediateDirectories: false)
            let link = "\(directory)/c/a.conf"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(directory)/real.conf")
            try SettingsFile.write(["layout": "author"], to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "\(directory)/real.conf")
            #expect(try String(contentsOfFile: "\(directory)/real.conf", encoding: .utf8) == "layout = author\n")
        }
    }

    @Test("A file that can't be understood is left as it is")
    func editingMalformed() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.conf"
            try "nonsense\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: SettingsError.self) { try SettingsFile.write(["layout": "flat"], to: path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "nonsense\n")
        }
    }
}

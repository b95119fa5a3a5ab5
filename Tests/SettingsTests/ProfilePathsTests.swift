import Foundation
import Settings
import Testing

@Suite("Profile paths")
struct ProfilePathsTests {
    @Test("The XDG variables say where files are")
    func xdg() throws {
        let paths = try ProfilePaths(
            profile: ProfileName("school"),
            environment: [
                "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_CACHE_HOME": "/k",
                "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/1000",
            ])
        #expect(paths.userFile == "/c/bookshelf/school.conf")
        #expect(paths.systemFile == "/etc/bookshelf/school.conf")
        #expect(paths.catalog == "/d/bookshelf/school/catalog.db")
        #expect(paths.secrets == "/d/bookshelf/school/secrets")
        #expect(paths.cacheDirectory == "/k/bookshelf/school")
        #expect(paths.log == "/s/bookshelf/school/bookshelf.log")
        #expect(paths.socket == "/run/user/1000/bookshelf/school.sock")
    }

    @Test("Without them, and where they are relative or empty, files are below the home directory")
    func home() throws {
        let paths = try ProfilePaths(
            profile: .standard, environment: ["HOME": "/home/a", "XDG_DATA_HOME": "relative", "XDG_CACHE_HOME": ""])
        #expect(paths.userFile == "/home/a/.config/bookshelf/default.conf")
        #expect(paths.dataDirectory == "/home/a/.local/share/bookshelf/default")
        #expect(paths.cacheDirectory == "/home/a/.cache/bookshelf/default")
        #expect(paths.stateDirectory == "/home/a/.local/state/bookshelf/default")
        #expect(paths.socket == "/home/a/.local/state/bookshelf/default/run/default.sock")
    }

    @Test("Without a home directory there is no place, and the reason says which variable to set")
    func noHome() {
        let error = #expect(throws: SettingsError.self) { try ProfilePaths(profile: .standard, environment: [:]) }
        #expect(error?.reason.contains("HOME") == true)
    }

    @Test("A mount from fstab has its files below /var")
    func system() throws {
        let paths = try ProfilePaths(systemProfile: ProfileName("school"))
        #expect(paths.userFile == nil)
        #expect(paths.catalog == "/var/lib/bookshelf/school/catalog.db")
        #expect(paths.cacheDirectory == "/var/cache/bookshelf/school")
        #expect(paths.socket == "/run/bookshelf/school.sock")
    }

    @Test("A socket path of 107 bytes is taken, one of 108 is refused with both lengths")
    func socketLength() throws {
        // "/bookshelf/default.sock" has 23 bytes.
        func runtime(_ count: Int) -> [String: String] {
            ["HOME": "/h", "XDG_RUNTIME_DIR": "/" + String(repeating: "r", count: count - 1)]
        }
        #expect(try ProfilePaths(profile: .standard, environment: runtime(84)).socket.utf8.count == 107)
        let error = #expect(throws: SettingsError.self) {
            try ProfilePaths(profile: .standard, environment: runtime(85))
        }
        #expect(error?.reason.contains("has 108 bytes, and the system takes 107") == true)
    }

    @Test("Settings can move the cache and the log, also below the home directory")
    func moved() throws {
        let paths = try ProfilePaths(profile: .standard, environment: ["HOME": "/home/a"])
        let settings = try Settings(environment: [
            "BOOKSHELF_CACHE_DIRECTORY": "~/books", "BOOKSHELF_LOG_FILE": "/tmp/l",
        ])
        #expect(try paths.cacheDirectory(by: settings) == "/home/a/books")
        #expect(try paths.log(by: settings) == "/tmp/l")
        #expect(try paths.cacheDirectory(by: Settings()) == "/home/a/.cache/bookshelf/default")
        #expect(throws: SettingsError.self) { try ProfilePaths(systemProfile: .standard).cacheDirectory(by: settings) }
    }

    @Test(
        "A profile's name is plain",
        arguments: ["default", "a", "Ben-2", "x_y.z", "..hidden".replacingOccurrences(of: "..", with: "a.")])
    func goodName(_ name: String) throws {
        #expect(try ProfileName(name).text == name)
    }

    @Test(
        "A name that would leave its directory, hide or look like a flag is refused",
        arguments: ["", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "é", "a\u{0}", String(repeating: "a", count: 65)])
    func badName(_ name: String) {
        #expect(throws: SettingsError.profileName(name)) { try ProfileName(name) }
    }

    @Test("The directories are made for their owner alone, and closed to others where they were open")
    func directories() throws {
        try withTemporaryDirectory { directory in
            let environment = ["HOME": directory]
            let paths = try ProfilePaths(profile: .standard, environment: environment)
            try FileManager.default.createDirectory(
                atPath: paths.dataDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            try paths.makeDirectories()
            for made in [paths.dataDirectory, paths.stateDirectory, paths.socketDirectory] {
                #expect(try permissions(of: made) == 0o700)
            }
            try paths.makeDirectories()
        }
    }

    @Test("A file where a directory should be is refused")
    func fileInTheWay() throws {
        try withTemporaryDirectory { directory in
            try "x".write(toFile: "\(directory)/x", atomically: false, encoding: .utf8)
            #expect(throws: SettingsError.self) { try PrivateDirectory.make("\(directory)/x") }
            #expect(throws: SettingsError.self) { try PrivateDirectory.make("\(directory)/x/y") }
        }
    }
}

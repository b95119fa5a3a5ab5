internal import Glibc

/// Where the files of a profile are.
///
/// By the XDG Base Directory Specification: <https://specifications.freedesktop.org/basedir-spec/latest/>
package struct ProfilePaths: Sendable, Equatable {
    package let profile: ProfileName

    /// What the user sets; `nil` for a mount from fstab(5), which is nobody's.
    package let userFile: String?

    /// What the administrator sets.
    package let systemFile: String

    /// Catalog and secrets: what can't be had again.
    package let dataDirectory: String

    /// Content: what can.
    package let cacheDirectory: String

    /// The log.
    package let stateDirectory: String

    /// The directory of the socket: nobody else may enter it.
    package let socketDirectory: String
    private let homeDirectory: String?

    package var catalog: String { "\(dataDirectory)/catalog.db" }
    package var secrets: String { "\(dataDirectory)/secrets" }
    package var log: String { "\(stateDirectory)/bookshelf.log" }
    package var socket: String { "\(socketDirectory)/\(profile).sock" }

    /// The places of a user's profile.
    ///
    /// Of the environment, `HOME` and the `XDG_` variables are looked at; a relative path in one of those counts as none.
    ///
    /// - Throws: ``SettingsError/location(reason:)`` without a home directory, or if the path of the socket is too long.
    package init(profile: ProfileName, environment: [String: String]) throws(SettingsError) {
        func absolute(_ name: String) -> String? {
            guard let path = environment[name], path.hasPrefix("/") else { return nil }
            return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        let home = absolute("HOME")
        func base(_ name: String, _ below: String) throws(SettingsError) -> String {
            if let path = absolute(name) { return path + "/bookshelf" }
            guard let home else {
                throw .location(
                    reason:
                        "HOME is not set to an absolute path, so there is no place for \(below); set HOME or \(name)")
            }
            return "\(home)/\(below)/bookshelf"
        }

        self.profile = profile
        homeDirectory = home
        systemFile = "/etc/bookshelf/\(profile).conf"
        userFile = "\(try base("XDG_CONFIG_HOME", ".config"))/\(profile).conf"
        dataDirectory = "\(try base("XDG_DATA_HOME", ".local/share"))/\(profile)"
        cacheDirectory = "\(try base("XDG_CACHE_HOME", ".cache"))/\(profile)"
        stateDirectory = "\(try base("XDG_STATE_HOME", ".local/state"))/\(profile)"
        socketDirectory = absolute("XDG_RUNTIME_DIR").map { "\($0)/bookshelf" } ?? "\(stateDirectory)/run"
        try checkSocketLength()
    }

    /// The places of a profile that is mounted from fstab(5).
    package init(systemProfile profile: ProfileName) throws(SettingsError) {
        self.profile = profile
        homeDirectory = nil
        systemFile = "/etc/bookshelf/\(profile).conf"
        userFile = nil
        dataDirectory = "/var/lib/bookshelf/\(profile)"
        stateDirectory = dataDirectory
        cacheDirectory = "/var/cache/bookshelf/\(profile)"
        socketDirectory = "/run/bookshelf"
        try checkSocketLength()
    }

    /// Where content is kept: by the setting, where it says so.
    package func cacheDirectory(by settings: Settings) throws(SettingsError) -> String {
        try expand(settings[.cacheDirectory], name: "cache.directory") ?? cacheDirectory
    }

    /// Where the log is written: by the setting, where it says so.
    package func log(by settings: Settings) throws(SettingsError) -> String {
        try expand(settings[.logFile], name: "log.file") ?? log
    }

    /// The path with the home directory in place of `~`.
    private func expand(_ path: String?, name: String) throws(SettingsError) -> String? {
        guard let path, path.hasPrefix("~/") else { return path }
        guard let homeDirectory else {
            throw .location(
                reason: "\(name) begins with ~/, and there is no home directory here; write an absolute path")
        }
        return homeDirectory + path.dropFirst()
    }

    /// The kernel takes 107 bytes for the path of a socket: unix(7), `sun_path`.
    private func checkSocketLength() throws(SettingsError) {
        guard socket.utf8.count > 107 else { return }
        throw .location(
            reason:
                "the path of the profile's socket, \(socket), has \(socket.utf8.count) bytes, and the system takes 107; set XDG_RUNTIME_DIR to a shorter directory or use a shorter profile name"
        )
    }
}

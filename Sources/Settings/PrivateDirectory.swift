internal import Glibc

extension ProfilePaths {
    /// Makes the directories for data, state and socket, for their owner alone.
    ///
    /// - Throws: ``SettingsError/location(reason:)`` if one can't be made, or belongs to somebody else.
    package func makeDirectories() throws(SettingsError) {
        for directory in [dataDirectory, stateDirectory, socketDirectory] {
            try PrivateDirectory.make(directory)
        }
    }
}

/// A directory that only its owner can enter.
package enum PrivateDirectory {
    /// Makes the directory and those above it, 0700; closes one to others that is there already.
    ///
    /// - Throws: ``SettingsError/location(reason:)`` if it can't be made, isn't a directory, can't be written
    ///   in, or belongs to somebody else.
    package static func make(_ path: String) throws(SettingsError) {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/\(part)"
            if unsafe mkdir(prefix, 0o700) != 0, errno != EEXIST {
                throw .location(reason: "can't make the directory \(prefix): \(reasonOfErrno())")
            }
        }

        // Everything after this is done to what was looked at, whatever the name stands for meanwhile.
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .location(reason: "can't use the directory \(path): \(reasonOfErrno())") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .location(reason: "can't use the directory \(path): \(reasonOfErrno())")
        }
        guard status.st_uid == geteuid() else {
            throw .location(reason: "the directory \(path) belongs to another user; remove it or name another place")
        }
        if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o700) != 0 {
            throw .location(reason: "can't close the directory \(path) to others: \(reasonOfErrno())")
        }
        // Else a database in it would say so in its own words, and only when it is written to.
        guard unsafe faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .location(
                reason:
                    "can't write in the directory \(path): \(reasonOfErrno()); make it writable, or choose another place"
            )
        }
    }
}

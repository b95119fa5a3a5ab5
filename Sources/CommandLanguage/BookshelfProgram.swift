package import Arguments

extension Program {
    /// The command with everything that it can be told.
    package static func bookshelf(version: String) -> Program {
        Program(
            name: "bookshelf", version: version,
            help: "Shows purchased books as read-only files, whatever store, server or folder they come from.",
            flags: [.profile, .json, .quiet],
            commands: [
                .addSource, .listSources, .removeSource, .login, .logout, .importCatalog, .sync, .mount, .unmount,
                .list, .search, .info, .status,
                .fetch, .pin, .unpin, .evict, .verify,
            ])
    }
}

internal import Accounts
internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import ContentSources
internal import Digest
internal import Glibc
internal import HTTP
internal import JSON
internal import Log
internal import Settings
internal import Shelf

/// `bookshelf source add|list|remove`.
enum SourceCommands {
    static func add(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let name = context.invocation.word(for: .sourceName) ?? ""
        let location = context.invocation.word(for: .location) ?? ""
        try check(name)
        let bare = URLReference.splitCredentials(location)
        let place = absolute(bare?.url ?? location)
        let kind = try kind(of: place, context)
        let options = try options(context, kind, place)
        let writer = try profile.writer()
        do throws(CatalogError) {
            _ = try writer.addSource(
                name: name, kind: kind.rawValue, location: place, options: options.json,
                allowsPlainHTTP: context.invocation.has(.allowHTTP))
        } catch {
            throw .failed(error.reason)
        }
        if let bare { try keep(bare.user, bare.password, of: name, at: place, profile) }
        context.confirm("\(name): a source of kind \(kind.rawValue); bookshelf sync \(name) brings its books")
    }

    /// Keeps what stood in a URL as a secret, and says so: an argument is seen by everybody on the machine.
    private static func keep(
        _ user: String, _ password: String, of source: String, at location: String, _ profile: ProfileState
    ) throws(Failure) {
        let isInKeyring: Bool
        do throws(AccountError) {
            let account = Account(user: user, password: Secret(password), origin: URLReference.origin(location) ?? "")
            isInKeyring = try profile.accounts.keep(account, of: source).isInKeyring
        } catch {
            throw .failed(error.reason)
        }
        profile.context.confirm(
            "The user name and password were taken out of the URL and are kept in \(isInKeyring ? "the keyring" : profile.paths.secrets); other people may have seen them in the list of processes"
        )
    }

    static func list(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let queries = try profile.queries()
        let journal = SyncJournal(directory: profile.paths.stateDirectory)
        let sources: [Source]
        do throws(CatalogError) { sources = try queries.sources() } catch { throw .failed(error.reason) }
        if context.isJSON {
            return try context.print([
                "sources": .array(
                    sources.map { source in
                        let report = profile.report(of: source, journal)
                        return [
                            "name": .string(source.name), "kind": .string(source.kind),
                            "location": .string(source.location),
                            "state": .string(report.state.rawValue), "account": JSONValue(report.account),
                        ]
                    })
            ])
        }
        for source in sources {
            let state = profile.report(of: source, journal).state.rawValue
            try context.print(fields: [source.name, source.kind, state, source.location])
        }
    }

    static func remove(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let name = context.invocation.word(for: .sourceName) ?? ""
        let writer = try profile.writer()
        let lock = try ProfileLock(.sync, in: profile.paths.dataDirectory, waitingAtMost: .seconds(60))
        defer { lock.holdUntilHere() }
        let count: Int
        do throws(CatalogError) {
            count = try writer.removeSource(name, samples: profile.samplePolicy, now: Now.nanoseconds)
        } catch {
            throw .failed(error.reason)
        }
        SyncJournal(directory: profile.paths.stateDirectory).forget(name)
        profile.permissionFiles.keep(nil, of: name)
        do throws(AccountError) {
            try profile.accounts.forget(name)
        } catch {
            throw .failed(error.reason)
        }
        context.confirm("\(name): removed, with \(count) books")
    }

    private static func check(_ name: String) throws(Failure) {
        let isWord = name.utf8.allSatisfy { byte in
            (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || "-_.".utf8.contains(byte)
        }
        guard isWord, !name.isEmpty, name.utf8.count <= 64, !name.hasPrefix(".") else {
            throw .usage("“\(name)” can't be the name of a source: use up to 64 letters, digits, -, _ and .")
        }
        guard name != SyncCommands.importSource else {
            throw .usage("“\(name)” is the source that bookshelf import fills; choose another name")
        }
    }

    private static func kind(of location: String, _ context: CommandContext) throws(Failure) -> SourceKind {
        if let scheme = URLReference.scheme(location), location.contains("://") {
            guard ["http", "https", "s3", "file"].contains(scheme) else {
                throw .usage("“\(location)” isn't a place of books: use an http, https, s3 or file URL, or a path")
            }
        }
        guard let stated = context.invocation.value(of: .kind) else { return SourceKind(recognising: location) }
        guard let kind = SourceKind(rawValue: stated) else { throw .usage("“\(stated)” is no kind of source") }
        guard kind.isLocal else { return kind }
        guard let path = SourceKind.path(location) else {
            throw .usage("--kind \(stated) is for a folder of this machine, not for “\(location)”")
        }
        // A relative path would mean another place to the driver.
        guard path.hasPrefix("/"), SourceKind.type(of: path) == S_IFDIR else {
            throw .failed("there is no folder “\(path)”; a source of kind \(stated) has to be there when it is added")
        }
        guard kind == .folder || SourceKind.type(of: path + "/metadata.db") == S_IFREG else {
            throw .failed("“\(path)” is no Calibre library: there is no metadata.db in it")
        }
        return kind
    }

    private static func options(_ context: CommandContext, _ kind: SourceKind, _ place: String) throws(Failure)
        -> SourceOptions
    {
        var options = SourceOptions()
        if let user = context.invocation.value(of: .user) {
            guard ["http", "https"].contains(URLReference.scheme(place)) else {
                throw .usage("--user is for sources on a network, where one logs in, not for “\(place)”")
            }
            guard !user.isEmpty else { throw .usage("--user: name the user") }
            options.user = user
        }
        options.pinnedPublicKeys = try pins(context, place)
        guard let text = context.invocation.value(of: .prefer) else { return options }
        guard let formats = BookFormat.list(text) else {
            throw .usage("--prefer “\(text)”: name epub and kepub, the preferred one first, with a comma between them")
        }
        guard kind == .opds || kind == .calibre else {
            throw .usage(
                "--prefer is for sources that have several forms of a book: opds and calibre, not \(kind.rawValue)")
        }
        options.preference = formats
        return options
    }

    private static func pins(_ context: CommandContext, _ place: String) throws(Failure) -> [String] {
        let pins = context.invocation.values(of: .pin)
        guard !pins.isEmpty else { return [] }
        guard URLReference.scheme(place) == "https" else {
            throw .usage("--pin is for servers that are reached by https, not for “\(place)”")
        }
        for pin in pins where !CertificateKey.isPin(pin) {
            throw .usage(
                "--pin “\(pin)”: give the SHA-256 of the server's public key as sha256// and 44 characters of Base64")
        }
        return pins
    }

    /// The path that a location is, absolute; a URL, or a path of nothing, as it is.
    static func absolute(_ location: String) -> String {
        guard !location.contains("://"), let resolved = unsafe realpath(location, nil) else { return location }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

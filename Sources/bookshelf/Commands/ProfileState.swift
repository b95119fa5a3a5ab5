internal import Catalog
internal import CommandLanguage
internal import ContentCache
internal import ContentSources
internal import Control
internal import Glibc
internal import HTTP
internal import JSON
internal import Log
internal import Settings
internal import Shelf

/// What a command has to do with a profile: its files, its catalog, and its driver, if one runs.
struct ProfileState {
    let context: CommandContext
    let paths: ProfilePaths
    let settings: Settings
    let cacheDirectory: String

    init(_ context: CommandContext) throws(Failure) {
        self.context = context
        paths = try context.paths()
        settings = try context.settings(at: paths)
        do throws(SettingsError) {
            cacheDirectory = try paths.cacheDirectory(by: settings)
        } catch {
            throw Failure(error)
        }
    }

    /// Makes the directories of the profile, for a command that is about to write there.
    func makeDirectories() throws(Failure) {
        do throws(SettingsError) {
            try paths.makeDirectories()
        } catch {
            throw Failure(error)
        }
    }

    var samplePolicy: SamplePolicy {
        switch settings[.samples] {
        case .auto: .auto
        case .always: .always
        case .never: .never
        }
    }

    /// Opens the catalog for writing; makes it if there is none.
    func writer() throws(Failure) -> CatalogWriter {
        try makeDirectories()
        do throws(CatalogError) {
            return try CatalogWriter(path: paths.catalog)
        } catch {
            guard case .damaged = error else { throw .failed(error.reason) }
        }
        try mendCatalog()
        do throws(CatalogError) {
            return try CatalogWriter(path: paths.catalog)
        } catch {
            throw .failed(error.reason)
        }
    }

    /// Opens the catalog for reading.
    ///
    /// A catalog that isn't there yet is made, empty: a person who asks for the list of an empty shelf gets an empty list.
    func queries() throws(Failure) -> CatalogQueries {
        _ = try writer()
        do throws(CatalogError) {
            return try CatalogQueries(path: paths.catalog)
        } catch {
            throw .failed(error.reason)
        }
    }

    var credentials: SourceCredentials { SourceCredentials(secretsAt: paths.secrets) }

    // MARK: - Driver

    /// What the driver says of itself; `nil` if none runs.
    func driverStatus() throws(Failure) -> JSONValue? {
        do throws(ControlError) {
            let client = ControlClient(path: paths.socket)
            guard try client.isDriverThere() else { return nil }
            return try client.send(.status)
        } catch {
            switch error {
            case .noDriver: return nil
            default: throw Failure(error)
            }
        }
    }

    /// The mount points of the profile.
    func mountPoints() throws(Failure) -> [String] {
        [try driverStatus()?["mountPoint"]?.stringValue].compactMap { $0 }
    }

    /// Does content work: by the driver if one runs, else here, with the cache's lock taken meanwhile.
    func work(
        _ request: ControlRequest, progress: (ControlProgress) -> Void,
        here: (ContentWork) -> JSONValue
    ) throws(Failure) -> ContentWork.Outcome {
        do throws(ControlError) {
            let client = ControlClient(path: paths.socket)
            if try client.isDriverThere() {
                return ContentWork.Outcome(try client.send(request, progress: progress))
            }
        } catch {
            throw Failure(error)
        }
        try makeDirectories()
        do throws(ContentCacheError) {
            let lock = try CacheLock(ofCacheAt: cacheDirectory)
            defer { _ = lock.descriptor }
            let loop = TransferLoop(CurlLibrary(), maximumTransferCount: settings[.fetchConnections])
            defer { loop.shutDown() }
            let sizes = SizeCorrection(
                catalogPath: paths.catalog,
                log: Log(process: "command", level: .error, sinks: []))
            let cache = try ContentCache(
                at: cacheDirectory,
                fetcher: ContentTransfers(loop, timeouts: timeouts) { [credentials] version in
                    credentials.credentials(of: version.source, for: version.url)
                },
                sizeCorrection: { sizes.correct($0, to: $1) }, isOpen: { _ in false })
            defer { cache.shutDown() }
            return ContentWork.Outcome(here(ContentWork(cache: cache, path: paths.catalog)))
        } catch {
            throw .failed(error.reason)
        }
    }

    private var timeouts: ContentTransfers.Timeouts {
        ContentTransfers.Timeouts(connect: settings[.connectTimeout], stall: settings[.stallTimeout])
    }
}

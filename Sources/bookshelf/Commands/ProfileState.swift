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
    ///
    /// - Throws: ``Failure`` also when it was removed while a driver has it open: an empty one would take its place there.
    func queries() throws(Failure) -> CatalogQueries {
        try refuseMissingCatalog()
        _ = try writer()
        do throws(CatalogError) {
            return try CatalogQueries(path: paths.catalog)
        } catch {
            throw .failed(error.reason)
        }
    }

    /// Which content is on disk.
    ///
    /// - Throws: ``Failure`` if the catalog can't be read.
    func localContent(_ queries: borrowing CatalogQueries) throws(Failure) -> LocalContent {
        LocalContent(cacheAt: cacheDirectory, ofCatalog: try identity(queries), inPlace: inPlacePolicy)
    }

    private var inPlacePolicy: InPlacePolicy { InPlacePolicy(cachesLocalFiles: settings[.cachesLocalFiles]) }

    /// What tells the catalog from every other.
    private func identity(_ queries: borrowing CatalogQueries) throws(Failure) -> String? {
        do throws(CatalogError) { return try queries.identity() } catch { throw .failed(error.reason) }
    }

    /// Whether there is a catalog.
    var hasCatalog: Bool { unsafe access(paths.catalog, F_OK) == 0 }

    /// - Throws: ``Failure`` if the catalog was removed while it is mounted.
    func refuseMissingCatalog() throws(Failure) {
        // Another home may have a profile of this name mounted; its driver listens elsewhere.
        guard !hasCatalog, !mountPoints.isEmpty, unsafe access(paths.socket, F_OK) == 0 else { return }
        throw .failed("\(Self.missingCatalog(paths.catalog)). \(Self.missingCatalogAdvice)")
    }

    static func missingCatalog(_ path: String) -> String {
        "the catalog \(path) was removed while it is mounted; the mount shows what it held"
    }

    static var missingCatalogAdvice: String {
        "Put it back from a backup, or begin a new one with: bookshelf import FILE"
    }

    // MARK: - Driver

    /// How long a driver may take to say how it is.
    private static var silence: Duration { .seconds(5) }

    /// What the driver says of itself; `nil` if none runs.
    func driverStatus() throws(Failure) -> JSONValue? {
        do throws(ControlError) {
            return try ControlClient(path: paths.socket).send(.status, silence: Self.silence)
        } catch {
            switch error {
            case .noDriver: return nil
            default: throw Failure(error)
            }
        }
    }

    /// The mount points of the profile, as the kernel knows them: no driver is asked, and none can keep this waiting.
    var mountPoints: [String] {
        MountedShelf.ownedByThisUser().filter { $0.profile == paths.profile.text }.map(\.mountPoint)
    }

    /// Does content work: by the driver if one runs, else here, with the driver's locks taken meanwhile.
    func work(
        _ request: ControlRequest, progress: (ControlProgress) -> Void,
        here: (ContentWork) -> JSONValue
    ) throws(Failure) -> ContentWork.Outcome {
        ContentWork.Outcome(try perform(request, progress: progress, here: here))
    }

    /// Does what concerns content, as ``work(_:progress:here:)``.
    ///
    /// - Returns: What the driver answers, or `here`.
    func perform(
        _ request: ControlRequest, progress: (ControlProgress) -> Void, here: (ContentWork) -> JSONValue
    ) throws(Failure) -> JSONValue {
        // Asked first: a driver that answers at all may be silent for longer while it works.
        if try driverStatus() != nil {
            do throws(ControlError) {
                return try ControlClient(path: paths.socket).send(request, progress: progress)
            } catch {
                guard error == .noDriver else { throw Failure(error) }
            }
        }
        try makeDirectories()
        let identity = try identity(queries())
        let lock = try ProfileLock(.driver, in: paths.dataDirectory, waitingAtMost: .seconds(3))
        defer { lock.holdUntilHere() }
        do throws(ContentCacheError) {
            let cacheLock = try CacheLock(ofCacheAt: cacheDirectory)
            defer { _ = cacheLock.descriptor }
            let loop = TransferLoop(
                CurlLibrary(), maximumTransferCount: settings[.fetchConnections], objectStorage: objectStorage)
            defer { loop.shutDown() }
            var cacheSettings = ContentCache.Settings()
            cacheSettings.catalog = identity
            cacheSettings.inPlace = inPlacePolicy
            cacheSettings.limit = { [limit = settings[.cacheMaximumSize]] in limit.byteCount(ofAvailable: $0) }
            cacheSettings.maximumAge = settings[.cacheMaximumAge]
            let cache = try ContentCache(
                at: cacheDirectory,
                fetcher: ContentTransfers(loop, timeouts: timeouts, authority: sessions(loop)),
                client: UnmountedContent(catalogPath: paths.catalog), settings: cacheSettings)
            defer { cache.shutDown() }
            return here(ContentWork(cache: cache, path: paths.catalog))
        } catch {
            throw .failed(error.reason)
        }
    }

    private var timeouts: ContentTransfers.Timeouts {
        ContentTransfers.Timeouts(connect: settings[.connectTimeout], stall: settings[.stallTimeout])
    }

    var objectStorage: ObjectStorage {
        ObjectStorage(endpointSetting: settings[.objectStorageEndpoint], region: settings[.objectStorageRegion])
    }
}

extension ObjectStorage {
    /// - Parameters:
    ///   - endpointSetting: `s3.endpoint`, where `default` means none.
    ///   - region: `s3.region`.
    init(endpointSetting: String, region: String) {
        self.init(endpoint: endpointSetting == "default" ? nil : endpointSetting, region: region)
    }
}

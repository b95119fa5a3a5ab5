internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import ContentCache
internal import Control
internal import FUSE
internal import Glibc
internal import JSON
internal import Log
internal import Processes
internal import Settings
internal import Shelf

/// `bookshelf mount MOUNTPOINT`: checks everything that can be said in one clear line, then starts the supervisor and waits
/// until the mount answers.
enum MountCommand {
    /// How long the driver may take until it answers.
    private static var startLimit: Duration { .seconds(60) }

    static func run(_ context: CommandContext) throws(Failure) {
        if context.invocation.has(.replace) { return try ReplaceCommand.run(context) }
        let profile = try ProfileState(context)
        let options = try CommandLanguage.MountOptions(context.invocation.values(of: .mountOptions))
        let arrangement = try profile.arrangement()
        if let missing = UnavailableFeatures.views(in: profile.settings[.views]).first,
            context.invocation.has(.views)
        {
            throw .usage("--views: the view \(missing) is not available in this version")
        }
        let mountPoint = try checkedMountPoint(context.invocation.word(for: .mountPoint) ?? "", context)
        try keepSettings(context, profile)
        let plan = try plan(context, profile, options, mountPoint)
        try prepareCatalog(profile, arrangement)
        let lock = try driverLock(profile)
        let cacheLock = try cacheLock(profile)
        let socket = try socket(profile)
        let passed = [
            ChildProcess.Passed(lock.descriptor, as: DriverDescriptor.lock),
            ChildProcess.Passed(cacheLock.descriptor, as: DriverDescriptor.cacheLock),
            ChildProcess.Passed(socket.descriptor, as: DriverDescriptor.socket),
        ]
        if plan.isInForeground { return become(plan, passing: passed) }
        try start(plan, passing: passed)
        lock.holdUntilHere()
        try waitUntilAnswering(mountPoint)
        context.confirm("Mounted at \(mountPoint)")
    }

    // MARK: - Checks

    /// The mount point, absolute; a shelf found there whose driver is dead is cleaned up.
    private static func checkedMountPoint(_ path: String, _ context: CommandContext) throws(Failure) -> String {
        // Before anything is asked there: a driver that is stopped would keep this waiting.
        if let absolute = MountPointPath.resolve(path), let shelf = MountedShelf.at(absolute) {
            guard ShelfDriver(of: shelf, environment: context.environment).standing == .dead else {
                throw .failed(
                    "a shelf is mounted at \(absolute) already; unmount it with: bookshelf unmount \(absolute)")
            }
            try cleanUp(absolute)
            return try checkedMountPoint(absolute, context)
        }
        var status = stat()
        if unsafe stat(path, &status) != 0 {
            switch errno {
            case ENOTCONN, ECONNABORTED:
                throw .failed(
                    "the mount point \(path) is the mount of another program that has ended; unmount it with: fusermount3 -u \(path)"
                )
            case ENOENT: throw .failed("the mount point \(path) doesn't exist; create it with: mkdir -p \(path)")
            case ENOTDIR: throw .failed("the mount point \(path) isn't a directory")
            default: throw .failed("the mount point \(path) can't be used: \(SystemWords.current)")
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .failed("the mount point \(path) isn't a directory") }
        guard let resolved = unsafe realpath(path, nil) else {
            throw .failed("the mount point \(path) can't be used: \(SystemWords.current)")
        }
        defer { unsafe free(resolved) }
        let absolute = unsafe String(cString: resolved)
        guard try isEmpty(absolute) else {
            throw .failed(
                "the mount point \(absolute) isn't empty: the mount would hide what is in it; choose an empty directory"
            )
        }
        return absolute
    }

    private static func cleanUp(_ path: String) throws(Failure) {
        do throws(MountError) {
            try MountPoint.unmount(path, lazily: true)
        } catch {
            throw .failed(
                "\(path) is the mount of a driver that died, and it can't be cleaned up: \(error.description)")
        }
    }

    private static func isEmpty(_ path: String) throws(Failure) -> Bool {
        guard let stream = unsafe opendir(path) else {
            throw .failed("the mount point \(path) can't be read: \(SystemWords.current)")
        }
        defer { unsafe closedir(stream) }
        var count = 0
        while unsafe readdir(stream) != nil { count += 1 }
        return count <= 2
    }

    /// `--layout`, `--views` and `--samples` are settings of the profile: they are written to its file.
    private static func keepSettings(_ context: CommandContext, _ profile: ProfileState) throws(Failure) {
        guard let file = profile.paths.userFile else { return }
        var given: [String: String] = [:]
        for (flag, setting) in [
            (Flag.layout, Setting<String>.layout.name), (.views, Setting<[String]>.views.name),
            (.samples, Setting<SampleVisibility>.samples.name),
        ] {
            if let text = context.invocation.value(of: flag) { given[setting] = text }
        }
        guard !given.isEmpty else { return }
        do throws(SettingsError) {
            try SettingsFile.write(given, to: file)
        } catch {
            throw Failure(error)
        }
    }

    private static func prepareCatalog(_ profile: ProfileState, _ arrangement: Arrangement) throws(Failure) {
        let writer = try profile.writer()
        do throws(CatalogError) {
            try writer.apply(arrangement, now: Now.nanoseconds)
            try writer.apply(profile.samplePolicy, now: Now.nanoseconds)
        } catch {
            throw .failed(error.reason)
        }
    }

    /// The right to be the profile's driver; one that is just ending is waited for.
    private static func driverLock(_ profile: ProfileState) throws(Failure) -> ProfileLock {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(3)
        while true {
            do throws(Failure) {
                return try ProfileLock(.driver, in: profile.paths.dataDirectory, waitingAtMost: .milliseconds(100))
            } catch {
                if let mounted = try profile.driverStatus()?["mountPoint"]?.stringValue {
                    throw .failed(
                        "profile “\(profile.paths.profile)” is mounted at \(mounted) already; unmount it with: bookshelf unmount \(mounted)"
                    )
                }
                guard clock.now < deadline else { throw error }
            }
        }
    }

    /// The right to use the cache, which another profile may share by its settings.
    private static func cacheLock(_ profile: ProfileState) throws(Failure) -> CacheLock {
        do throws(ContentCacheError) {
            return try CacheLock(ofCacheAt: profile.cacheDirectory)
        } catch {
            throw .failed(error.reason)
        }
    }

    private static func socket(_ profile: ProfileState) throws(Failure) -> ListeningSocket {
        do throws(ControlError) {
            return try ListeningSocket(bindingAt: profile.paths.socket)
        } catch {
            throw Failure(error)
        }
    }

    // MARK: - Plan

    private static func plan(
        _ context: CommandContext, _ profile: ProfileState, _ options: CommandLanguage.MountOptions,
        _ mountPoint: String
    ) throws(Failure) -> DriverPlan {
        let hasOwner = options.userID != nil || options.groupID != nil || options.permissionMask != nil
        guard !hasOwner || geteuid() == 0 else {
            throw .failed("uid=, gid= and umask= need root; without them the files are yours")
        }
        var plan = DriverPlan()
        plan.profile = profile.paths.profile.text
        plan.mountPoint = mountPoint
        plan.catalog = profile.paths.catalog
        plan.dataDirectory = profile.paths.dataDirectory
        plan.stateDirectory = profile.paths.stateDirectory
        plan.cacheDirectory = profile.cacheDirectory
        do throws(SettingsError) {
            plan.logFile = try profile.paths.log(by: profile.settings)
        } catch {
            throw Failure(error)
        }
        plan.logLevel = profile.settings[.logLevel].rawValue
        plan.socket = profile.paths.socket
        plan.secrets = profile.paths.secrets
        plan.isInForeground = context.invocation.has(.foreground)
        plan.userID = Int(options.userID ?? geteuid())
        plan.groupID = Int(options.groupID ?? getegid())
        plan.mask = Int(options.permissionMask ?? 0)
        plan.allowsOthers = options.allowsOthers
        plan.checksPermissions = hasOwner
        plan.isReadOnly = options.isReadOnly
        plan.options = ["nosuid", "nodev"]
        plan.wantsPassthrough = profile.settings[.passthrough] == .on
        plan.readDeadline = profile.settings[.readDeadline].wholeMilliseconds
        plan.connectTimeout = profile.settings[.connectTimeout].wholeMilliseconds
        plan.stallTimeout = profile.settings[.stallTimeout].wholeMilliseconds
        plan.connections = profile.settings[.fetchConnections]
        plan.objectStorageEndpoint = profile.settings[.objectStorageEndpoint]
        plan.objectStorageRegion = profile.settings[.objectStorageRegion]
        plan.cacheLimit = profile.settings[.cacheMaximumSize]
        plan.cacheAge = profile.settings[.cacheMaximumAge]
        plan.cachesLocalFiles = profile.settings[.cachesLocalFiles]
        plan.deniedPrograms = profile.settings[.deniedPrograms]
        plan.syncInterval = profile.settings[.syncInterval].wholeMilliseconds
        plan.startedAt = Int(Now.seconds)
        plan.hidesResend = context.environment[Environment.withoutResend] != nil
        plan.notices = profile.settings.notices + UnavailableFeatures.notices(in: profile.settings)
        return plan
    }

    // MARK: - Start

    /// Becomes the supervisor; never returns.
    private static func become(_ plan: DriverPlan, passing passed: [ChildProcess.Passed]) {
        let nobody = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        ChildProcess.keepOnly(passed + [ChildProcess.Passed(nobody, as: DriverDescriptor.ready)])
        DriverProcess.settle()
        // Not exit: what has descriptors here has been closed under its owner.
        _exit(SupervisorProcess.run(plan))
    }

    private static func start(_ plan: DriverPlan, passing passed: [ChildProcess.Passed]) throws(Failure) {
        guard var ready = PipeEnds() else { throw .failed("no descriptor is left") }
        let nobody = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nobody) }
        let standard = [0, 1, 2].map { ChildProcess.Passed(nobody, as: $0) }
        do throws(ChildProcess.Failure) {
            _ = try DriverProcess.supervisor.start(
                passing: passed + [ChildProcess.Passed(ready.writing, as: DriverDescriptor.ready)] + standard,
                isSessionLeader: true
            ) {
                SupervisorProcess.run(plan)
            }
        } catch {
            throw .failed(error.reason)
        }
        ready.closeWriting()
        switch ReadySignal.wait(on: ready.reading, atMost: startLimit) {
        case .ready: return
        case .failed(let reason): throw .failed(reason)
        case .died: throw .failed("the driver ended before the mount was ready; see \(plan.logFile)")
        case .timedOut: throw .failed("the mount was not ready in time; see \(plan.logFile)")
        }
    }

    /// Asks the mount for its root, as every program will.
    private static func waitUntilAnswering(_ mountPoint: String) throws(Failure) {
        var status = stat()
        guard unsafe stat(mountPoint, &status) == 0 else {
            throw .failed("the mount at \(mountPoint) doesn't answer: \(SystemWords.current)")
        }
    }
}

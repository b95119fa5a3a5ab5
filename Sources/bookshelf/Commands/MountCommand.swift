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

/// `bookshelf mount MOUNTPOINT`: checks everything that can be said in one clear line, then starts the supervisor and waits
/// until the mount answers.
enum MountCommand {
    /// How long the driver may take until it answers.
    private static var startLimit: Duration { .seconds(60) }

    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let options = try CommandLanguage.MountOptions(context.invocation.values(of: .mountOptions))
        try refuseWhatIsNotThereYet(context, profile)
        let mountPoint = try checkedMountPoint(context.invocation.word(for: .mountPoint) ?? "")
        try keepSettings(context, profile)
        let plan = try plan(context, profile, options, mountPoint)
        try prepareCatalog(profile)
        let lock = try lock(profile)
        let socket = try socket(profile)
        if plan.isInForeground {
            return become(plan, lock: lock.descriptor, socket: socket.descriptor)
        }
        try start(plan, lock: lock.descriptor, socket: socket.descriptor)
        try waitUntilAnswering(mountPoint)
        if !context.isQuiet { try context.print("Mounted at \(mountPoint)") }
    }

    // MARK: - Checks

    private static func refuseWhatIsNotThereYet(_ context: CommandContext, _ profile: ProfileState) throws(Failure) {
        if context.invocation.has(.replace) {
            throw .failed("bookshelf \(Bookshelf.version) can't replace a running driver; unmount and mount again")
        }
        let layout = profile.settings.resolved(Setting.layout.name)?.text
        if let layout, layout != "category" {
            throw .failed("bookshelf \(Bookshelf.version) shows the layout “category” only; “\(layout)” is set")
        }
        let views = profile.settings.resolved(Setting.views.name)?.text ?? ""
        if !views.isEmpty, views != "none" {
            throw .failed("bookshelf \(Bookshelf.version) shows no further views; “\(views)” is set")
        }
    }

    /// The mount point, absolute; a dead mount found there is cleaned up.
    private static func checkedMountPoint(_ path: String) throws(Failure) -> String {
        var status = stat()
        if unsafe stat(path, &status) != 0 {
            switch errno {
            case ENOTCONN, ECONNABORTED: try cleanUp(path)
            case ENOENT: throw .failed("the mount point \(path) doesn't exist; create it with: mkdir -p \(path)")
            case ENOTDIR: throw .failed("the mount point \(path) isn't a directory")
            default: throw .failed("the mount point \(path) can't be used: \(SystemWords.current)")
            }
            guard unsafe stat(path, &status) == 0 else {
                throw .failed("the mount point \(path) can't be used: \(SystemWords.current)")
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .failed("the mount point \(path) isn't a directory") }
        guard let resolved = unsafe realpath(path, nil) else {
            throw .failed("the mount point \(path) can't be used: \(SystemWords.current)")
        }
        defer { unsafe free(resolved) }
        let absolute = unsafe String(cString: resolved)
        if MountedShelves.all().contains(where: { $0.mountPoint == absolute }) {
            guard !MountedShelves.isDead(absolute) else {
                try cleanUp(absolute)
                return try checkedMountPoint(absolute)
            }
            throw .failed("a shelf is mounted at \(absolute) already; unmount it with: bookshelf unmount \(absolute)")
        }
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

    /// `--samples` and the like are settings of the profile: they are written to its file.
    private static func keepSettings(_ context: CommandContext, _ profile: ProfileState) throws(Failure) {
        guard let file = profile.paths.userFile, let samples = context.invocation.value(of: .samples) else { return }
        do throws(SettingsError) {
            try SettingsFile.write([Setting<SampleVisibility>.samples.name: samples], to: file)
        } catch {
            throw Failure(error)
        }
    }

    private static func prepareCatalog(_ profile: ProfileState) throws(Failure) {
        let writer = try profile.writer()
        do throws(CatalogError) {
            try writer.apply(profile.samplePolicy, now: Now.nanoseconds)
        } catch {
            throw .failed(error.reason)
        }
    }

    private static func lock(_ profile: ProfileState) throws(Failure) -> CacheLock {
        do throws(ContentCacheError) {
            return try CacheLock(ofCacheAt: profile.cacheDirectory)
        } catch {
            let mounted = (try? profile.driverStatus())??["mountPoint"]?.stringValue
            if let mounted {
                throw .failed(
                    "profile “\(profile.paths.profile)” is mounted at \(mounted) already; unmount it with: bookshelf unmount \(mounted)"
                )
            }
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
        plan.readDeadline = profile.settings[.readDeadline].wholeMilliseconds
        plan.connectTimeout = profile.settings[.connectTimeout].wholeMilliseconds
        plan.stallTimeout = profile.settings[.stallTimeout].wholeMilliseconds
        plan.connections = profile.settings[.fetchConnections]
        plan.syncInterval = profile.settings[.syncInterval].wholeMilliseconds
        plan.startedAt = Int(Now.seconds)
        return plan
    }

    // MARK: - Start

    private static func passed(lock: Int32, socket: Int32, ready: Int32) -> [ChildProcess.Passed] {
        [
            ChildProcess.Passed(lock, as: DriverDescriptor.lock),
            ChildProcess.Passed(socket, as: DriverDescriptor.socket),
            ChildProcess.Passed(ready, as: DriverDescriptor.ready),
        ]
    }

    /// Becomes the supervisor; never returns.
    private static func become(_ plan: DriverPlan, lock: Int32, socket: Int32) {
        let nobody = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        ChildProcess.keepOnly(passed(lock: lock, socket: socket, ready: nobody))
        DriverProcess.settle()
        // Not exit: what has descriptors here has been closed under its owner.
        _exit(SupervisorProcess.run(plan))
    }

    private static func start(_ plan: DriverPlan, lock: Int32, socket: Int32) throws(Failure) {
        guard var ready = PipeEnds() else { throw .failed("no descriptor is left") }
        let nobody = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nobody) }
        let standard = [0, 1, 2].map { ChildProcess.Passed(nobody, as: $0) }
        do throws(ChildProcess.Failure) {
            _ = try DriverProcess.supervisor.start(
                passing: passed(lock: lock, socket: socket, ready: ready.writing) + standard, isSessionLeader: true
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

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds &* 1_000) + Int(attoseconds / 1_000_000_000_000_000)
    }
}

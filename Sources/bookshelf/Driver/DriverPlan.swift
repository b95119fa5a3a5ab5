internal import Log
internal import Settings

/// All that the processes of a mount need to know, settled by the command that mounts.
///
/// They have it by being copies of that command, or by a ``Handover``.
struct DriverPlan: Sendable {
    var profile = ""

    /// Absolute and without symbolic links.
    var mountPoint = ""
    var catalog = ""
    var dataDirectory = ""
    var cacheDirectory = ""
    var stateDirectory = ""
    var logFile = ""
    var logLevel = "info"
    var socket = ""

    /// Where the secrets are; only their place crosses.
    var secrets = ""

    /// Where what stores said of permissions is kept.
    var permissions: String { "\(stateDirectory)/permissions" }

    /// Whether the driver stays in the foreground and logs to standard error as well.
    var isInForeground = false

    // How the tree looks.
    var userID = 0
    var groupID = 0
    var mask = 0

    // How it is mounted.
    var allowsOthers = false
    var checksPermissions = false

    /// Whether the user asked for `ro`: then nothing is announced, unless the user is root.
    var isReadOnly = false
    var options: [String] = []

    /// Whether the kernel is to read whole books by itself.
    var wantsPassthrough = false

    // How content is brought. Times in milliseconds.
    var readDeadline = 60_000
    var connectTimeout = 15_000
    var stallTimeout = 60_000
    var connections = 6

    /// `s3.endpoint` and `s3.region`.
    var objectStorageEndpoint = "default"
    var objectStorageRegion = "us-east-1"

    /// How much content the cache may hold, and for how long nobody has to have read it to lose it.
    var cacheLimit = SizeLimit()
    var cacheAge: Duration?

    /// Whether content in files of this machine is copied to the cache.
    var cachesLocalFiles = true

    /// The names of programs that are refused what isn't on disk.
    var deniedPrograms: [String] = []

    /// Between two syncs, in milliseconds; 0 for none.
    var syncInterval = 900_000

    /// When the driver was started, in seconds since 1970.
    var startedAt = 0

    /// Whether to do as if the kernel couldn't send requests again, as one before 6.9: to try what happens there.
    var hidesResend = false

    /// What the log is to say of the settings: those that were passed over.
    var notices: [String] = []

    /// The log of one of the processes.
    func log(for process: String) -> Log {
        var sinks: [any LogSink] = []
        if let file = try? LogFile(path: logFile) { sinks.append(file) }
        if isInForeground { sinks.append(DescriptorSink.standardError) }
        return Log(process: process, level: LogLevel(rawValue: logLevel) ?? .info, sinks: sinks)
    }
}

internal import JSON
internal import Log

/// All that the processes of a mount need to know, settled by the command that mounts.
///
/// It crosses to them in a variable of the environment, as JSON. There is no secret in it.
struct DriverPlan: Sendable, Equatable {
    /// The variable of the environment.
    static var variable: String { "BOOKSHELF_DRIVER_PLAN" }

    var profile = ""

    /// Absolute and without symbolic links.
    var mountPoint = ""
    var catalog = ""
    var dataDirectory = ""
    var cacheDirectory = ""
    var logFile = ""
    var logLevel = "info"
    var socket = ""

    /// Where the secrets are; only their place crosses.
    var secrets = ""

    /// Whether the driver stays in the foreground and logs to standard error as well.
    var isInForeground = false

    // How the tree looks.
    var userID = 0
    var groupID = 0
    var mask = 0
    var samples = "auto"

    // How it is mounted.
    var allowsOthers = false
    var checksPermissions = false

    /// Whether the user asked for `ro`: then nothing is announced, unless the user is root.
    var isReadOnly = false
    var options: [String] = []

    // How content is brought. Times in milliseconds.
    var readDeadline = 60_000
    var connectTimeout = 15_000
    var stallTimeout = 60_000
    var connections = 6

    /// Between two syncs, in milliseconds; 0 for none.
    var syncInterval = 900_000

    /// When the driver was started, in seconds since 1970.
    var startedAt = 0

    /// As it crosses.
    var text: String {
        // Member by member: one literal of them all takes the compiler minutes.
        var members = JSONObject()
        members["profile"] = JSONValue.string(profile)
        members["mountPoint"] = JSONValue.string(mountPoint)
        members["catalog"] = JSONValue.string(catalog)
        members["dataDirectory"] = JSONValue.string(dataDirectory)
        members["cacheDirectory"] = JSONValue.string(cacheDirectory)
        members["logFile"] = JSONValue.string(logFile)
        members["logLevel"] = JSONValue.string(logLevel)
        members["socket"] = JSONValue.string(socket)
        members["secrets"] = JSONValue.string(secrets)
        members["samples"] = JSONValue.string(samples)
        members["userID"] = JSONValue.integer(Int64(userID))
        members["groupID"] = JSONValue.integer(Int64(groupID))
        members["mask"] = JSONValue.integer(Int64(mask))
        members["readDeadline"] = JSONValue.integer(Int64(readDeadline))
        members["connectTimeout"] = JSONValue.integer(Int64(connectTimeout))
        members["stallTimeout"] = JSONValue.integer(Int64(stallTimeout))
        members["connections"] = JSONValue.integer(Int64(connections))
        members["syncInterval"] = JSONValue.integer(Int64(syncInterval))
        members["startedAt"] = JSONValue.integer(Int64(startedAt))
        members["isInForeground"] = JSONValue.boolean(isInForeground)
        members["allowsOthers"] = JSONValue.boolean(allowsOthers)
        members["checksPermissions"] = JSONValue.boolean(checksPermissions)
        members["isReadOnly"] = JSONValue.boolean(isReadOnly)
        members["options"] = JSONValue(options)
        return String(decoding: JSONValue.object(members).encoded(), as: UTF8.self)
    }

    init() {}

    /// - Returns: `nil` for what isn't a plan.
    init?(_ text: String) {
        guard let json = try? JSONValue(parsing: text) else { return nil }
        func string(_ key: String) -> String? { json[key]?.stringValue }
        func number(_ key: String) -> Int? { json[key]?.integerValue.flatMap { Int(exactly: $0) } }
        func isTrue(_ key: String) -> Bool { json[key]?.booleanValue ?? false }
        guard let profile = string("profile"), let mountPoint = string("mountPoint"), let catalog = string("catalog"),
            let dataDirectory = string("dataDirectory"), let cacheDirectory = string("cacheDirectory"),
            let logFile = string("logFile"), let logLevel = string("logLevel"), let socket = string("socket"),
            let userID = number("userID"), let groupID = number("groupID"), let mask = number("mask"),
            let samples = string("samples"), let readDeadline = number("readDeadline"),
            let connectTimeout = number("connectTimeout"), let stallTimeout = number("stallTimeout"),
            let connections = number("connections"), let syncInterval = number("syncInterval"),
            let startedAt = number("startedAt")
        else { return nil }
        self.profile = profile
        self.mountPoint = mountPoint
        self.catalog = catalog
        self.dataDirectory = dataDirectory
        self.cacheDirectory = cacheDirectory
        self.logFile = logFile
        self.logLevel = logLevel
        self.socket = socket
        secrets = string("secrets") ?? ""
        isInForeground = isTrue("isInForeground")
        self.userID = userID
        self.groupID = groupID
        self.mask = mask
        self.samples = samples
        allowsOthers = isTrue("allowsOthers")
        checksPermissions = isTrue("checksPermissions")
        isReadOnly = isTrue("isReadOnly")
        options = json["options"]?.arrayValue?.compactMap(\.stringValue) ?? []
        self.readDeadline = readDeadline
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.connections = connections
        self.syncInterval = syncInterval
        self.startedAt = startedAt
    }

    /// The log of one of the processes.
    func log(for process: String) -> Log {
        var sinks: [any LogSink] = []
        if let file = try? LogFile(path: logFile) { sinks.append(file) }
        if isInForeground { sinks.append(DescriptorSink.standardError) }
        return Log(process: process, level: LogLevel(rawValue: logLevel) ?? .info, sinks: sinks)
    }
}

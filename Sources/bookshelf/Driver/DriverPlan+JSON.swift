internal import JSON
internal import Settings

/// A plan as it crosses to a program that was started anew, which may be of another version: what one of them doesn't know is
/// passed over, and what one doesn't say is as it is by default.
extension DriverPlan {
    private static var texts: [(name: String, WritableKeyPath<DriverPlan, String>)] {
        [
            ("profile", \.profile), ("mountPoint", \.mountPoint), ("catalog", \.catalog),
            ("dataDirectory", \.dataDirectory), ("stateDirectory", \.stateDirectory),
            ("cacheDirectory", \.cacheDirectory), ("logFile", \.logFile),
            ("logLevel", \.logLevel), ("socket", \.socket), ("secrets", \.secrets),
            ("objectStorageEndpoint", \.objectStorageEndpoint), ("objectStorageRegion", \.objectStorageRegion),
        ]
    }

    private static var flags: [(name: String, WritableKeyPath<DriverPlan, Bool>)] {
        [
            ("isInForeground", \.isInForeground), ("allowsOthers", \.allowsOthers),
            ("checksPermissions", \.checksPermissions), ("isReadOnly", \.isReadOnly),
            ("wantsPassthrough", \.wantsPassthrough), ("cachesLocalFiles", \.cachesLocalFiles),
            ("hidesResend", \.hidesResend),
        ]
    }

    private static var numbers: [(name: String, WritableKeyPath<DriverPlan, Int>)] {
        [
            ("userID", \.userID), ("groupID", \.groupID), ("mask", \.mask), ("readDeadline", \.readDeadline),
            ("connectTimeout", \.connectTimeout), ("stallTimeout", \.stallTimeout), ("connections", \.connections),
            ("syncInterval", \.syncInterval), ("startedAt", \.startedAt),
        ]
    }

    private static var lists: [(name: String, WritableKeyPath<DriverPlan, [String]>)] {
        [("options", \.options), ("deniedPrograms", \.deniedPrograms)]
    }

    /// As it crosses; no secret is in it.
    var json: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.texts { object[name] = .string(self[keyPath: path]) }
        for (name, path) in Self.flags { object[name] = .boolean(self[keyPath: path]) }
        for (name, path) in Self.numbers { object[name] = JSONValue(self[keyPath: path]) }
        for (name, path) in Self.lists { object[name] = JSONValue(self[keyPath: path]) }
        object["cacheLimitBytes"] = JSONValue(cacheLimit.byteCount)
        object["cacheLimitPercentage"] = JSONValue(cacheLimit.percentage)
        object["cacheAge"] = JSONValue(cacheAge?.wholeMilliseconds)
        return .object(object)
    }

    init(json: JSONValue) {
        for (name, path) in Self.texts { if let text = json[name]?.stringValue { self[keyPath: path] = text } }
        for (name, path) in Self.flags { if let flag = json[name]?.booleanValue { self[keyPath: path] = flag } }
        for (name, path) in Self.numbers {
            if let number = json[name]?.integerValue { self[keyPath: path] = Int(number) }
        }
        for (name, path) in Self.lists {
            if let list = json[name]?.arrayValue { self[keyPath: path] = list.compactMap(\.stringValue) }
        }
        cacheLimit = SizeLimit(
            byteCount: json["cacheLimitBytes"]?.integerValue,
            percentage: json["cacheLimitPercentage"]?.integerValue.map(Int.init))
        cacheAge = json["cacheAge"]?.integerValue.map { .milliseconds($0) }
    }
}

extension Duration {
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds &* 1_000) + Int(attoseconds / 1_000_000_000_000_000)
    }
}

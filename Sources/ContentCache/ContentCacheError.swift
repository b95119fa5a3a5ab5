/// Why a cache can't be used at all.
package enum ContentCacheError: Error, Hashable, Sendable {
    /// Its directory can't be made or written.
    case unusable(path: String, reason: String)

    /// Another process has the cache.
    ///
    /// - Parameter pid: Of that process; `nil` if it doesn't say.
    case inUse(path: String, pid: Int32?)

    /// What happened, in words.
    package var reason: String {
        switch self {
        case .unusable(let path, let reason): "the cache directory \(path) can't be used: \(reason)"
        case .inUse(let path, let pid?): "the cache directory \(path) is in use by process \(pid)"
        case .inUse(let path, nil): "the cache directory \(path) is in use by another process"
        }
    }
}

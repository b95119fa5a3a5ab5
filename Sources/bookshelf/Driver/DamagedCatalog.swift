internal import Catalog
internal import Log

/// What a worker does about a damaged catalog: it has it rebuilt while it serves what can be read.
///
/// That the catalog is another one then is found, and dealt with, as with every other that takes its place.
///
/// Used by the follower's thread, which wakes when a file beside the catalog is made, so also when a command has met the
/// damage. How often a catalog is rebuilt is bounded by ``CatalogRecovery``; so is how often a worker gives way for it.
final class DamagedCatalog: Sendable {
    private let recovery: CatalogRecovery
    private let log: Log

    init(path: String, log: Log) {
        recovery = CatalogRecovery(path: path)
        self.log = log
    }

    /// Opens the catalog; one that can't be opened for damage is rebuilt first.
    ///
    /// - Throws: ``CatalogError`` if it can't be opened or rebuilt.
    static func opened<Success>(
        _ path: String, log: Log, by open: () throws(CatalogError) -> Success
    ) throws(CatalogError) -> Success {
        do throws(CatalogError) { return try open() } catch {
            guard case .damaged = error else { throw error }
            let rebuild = try CatalogRecovery(path: path).rebuildIfMarked(now: Now.seconds)
            if let rebuild { log.warning("the catalog was rebuilt", ["reason": .public(rebuild.words)]) }
            return try open()
        }
    }

    /// Has the catalog rebuilt where it is marked.
    func lookAfter() {
        if recovery.isDue(now: Now.seconds) {
            do throws(CatalogError) {
                if let rebuild = try recovery.rebuildIfMarked(now: Now.seconds) {
                    log.warning("the catalog was rebuilt", ["reason": .public(rebuild.words)])
                }
            } catch {
                log.error(
                    "the damaged catalog could not be rebuilt", ["reason": .public(error.reason)], limitedBy: "damage")
            }
        }
    }
}

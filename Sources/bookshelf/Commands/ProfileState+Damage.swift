internal import Catalog
internal import CommandLanguage
internal import FileWatch
internal import JSON
internal import Settings
internal import Shelf

extension ProfileState {
    /// How long a command leaves it to a running driver to rebuild the catalog.
    private static var patience: Duration { .seconds(20) }

    /// For how long status tells of a rebuilding, in seconds.
    private static var newsAge: Int64 { 86_400 }

    /// Has a catalog rebuilt that is marked as damaged, and says so.
    ///
    /// A running driver does it when it sees the mark; where none runs or it doesn't come to it, it is done here: a driver
    /// finds then that its file was replaced.
    ///
    /// - Throws: ``Failure`` if it can't be rebuilt.
    func mendCatalog() throws(Failure) {
        let recovery = CatalogRecovery(path: paths.catalog)
        let former = recovery.lastRebuild
        if (try? driverStatus()) ?? nil != nil { leaveToDriver(recovery) }
        do throws(CatalogError) {
            let done = try recovery.rebuildIfMarked(now: Now.seconds)
            guard let rebuild = done ?? recovery.lastRebuild, rebuild != former else { return }
            context.warn("\(rebuild.words). \(rebuild.advice)")
        } catch {
            throw .failed(error.reason)
        }
    }

    /// Waits until a driver has rebuilt the catalog, which takes the mark away; not for ever.
    private func leaveToDriver(_ recovery: CatalogRecovery) {
        // Without it nobody is waited for; who rebuilds is one process in any case.
        guard let watch = try? DirectoryWatch(paths.dataDirectory, filesNamed: recovery.markName) else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        // Watched already: a mark that goes behind the question ends the wait.
        while recovery.isDue(now: Now.seconds), clock.now < deadline { _ = watch.wait(atMost: deadline - clock.now) }
    }

    /// What was lately wrong with the catalog, for status.
    var catalogErrors: [StatusReport.ReadError] {
        let recovery = CatalogRecovery(path: paths.catalog)
        var errors: [StatusReport.ReadError] = []
        if let rebuild = recovery.lastRebuild, rebuild.at > Now.seconds - Self.newsAge {
            errors.append(StatusReport.ReadError(reason: rebuild.words, advice: rebuild.advice, at: rebuild.at))
        }
        if let damage = recovery.damage {
            errors.append(
                StatusReport.ReadError(
                    reason: "the catalog is damaged (\(damage))",
                    advice:
                        "The next command rebuilds it from what can be read of it; if it comes again, check the disk",
                    at: Now.seconds))
        }
        return errors
    }
}

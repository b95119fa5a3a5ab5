internal import Catalog
internal import CommandLanguage
internal import Settings
internal import Shelf

/// How the settings of a profile have its shelf arranged.
extension ProfileState {
    /// - Throws: ``Failure`` for wrong usage, with the place of what is wrong in a template.
    func arrangement() throws(Failure) -> Arrangement {
        let layout: Layout
        do throws(LayoutTemplate.Fault) {
            layout = try Layout(settings[.layout])
        } catch {
            let place = settings.resolved(Setting.layout.name).map { "\($0.place)" } ?? Setting.layout.name
            throw .usage("\(place): layout: at character \(error.position): \(error.reason)")
        }
        return Arrangement(
            layout, views: settings[.views].compactMap(ShelfView.init), splitsCategories: settings[.splitsCategories])
    }

    /// Arranges the shelf as the settings say, unless they say something that can't be, or the shelf is mounted: a mount keeps what
    /// it began with.
    func arrange(_ writer: borrowing CatalogWriter) throws(Failure) {
        if ProfileLock.isFree(.driver, in: paths.dataDirectory) == false { return }
        // A template that is wrong is told by `mount`, and is no reason not to sync.
        guard let arrangement = try? arrangement() else { return }
        do throws(CatalogError) {
            try writer.apply(arrangement, now: Now.nanoseconds)
        } catch {
            throw .failed(error.reason)
        }
    }
}

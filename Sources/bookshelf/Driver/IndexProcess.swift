internal import Catalog
internal import Glibc
internal import Processes

/// The process that brings the search index of a mounted shelf up to date: one for each time, so that its memory goes with it.
///
/// It runs only while the processors have nothing else to do.
enum IndexProcess {
    /// The words of its command line.
    static func words(catalog: String) -> [String] { ["bookshelf", "driver", "index", catalog] }

    /// How long it waits for another one.
    private static var patience: Duration { .seconds(60) }

    /// Brings the index up to date, if the words say so.
    ///
    /// - Parameter words: Without the name of the program.
    /// - Returns: The exit status; `nil` if they name something else.
    static func run(_ words: [String]) -> Int32? {
        guard words.count == 3, words[0] == "driver", words[1] == "index" else { return nil }
        ThisProcess.disableCoreFiles()
        ThisProcess.runWhenIdle()
        do throws(CatalogError) {
            return try SearchIndexer(catalogPath: words[2]).bringUpToDate(waitingAtMost: patience) == .isUpToDate
                ? 0 : 1
        } catch {
            return 1
        }
    }
}

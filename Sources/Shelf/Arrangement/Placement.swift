/// A place on the shelf where a book stands: a directory, and what its name there is made from.
package struct Placement: Hashable, Sendable {
    /// A directory on the way.
    package struct Folder: Hashable, Sendable {
        /// In NFC; what file systems refuse is replaced later.
        package let title: String

        /// Whether it is the root of a view, which is another directory than that of a category of the same name.
        package let isView: Bool

        package init(_ title: String, isView: Bool = false) {
            self.title = title
            self.isView = isView
        }
    }

    /// From the root on; none for a book that stands in the root.
    package let folders: [Folder]

    /// What the file is named after, in NFC; `nil` for the title.
    package let stem: String?

    package init(_ folders: [Folder], stem: String? = nil) {
        self.folders = folders
        self.stem = stem
    }
}

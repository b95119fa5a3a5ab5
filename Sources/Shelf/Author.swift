/// A person or body that made a book.
package struct Author: Hashable, Sendable {
    /// As it is printed, for example `Ivan Goncharov`.
    package let name: String

    /// As it is sorted, for example `Goncharov, Ivan`; `nil` where the source doesn't say.
    package let sortName: String?

    package init(name: String, sortName: String? = nil) {
        self.name = name
        self.sortName = sortName
    }
}

extension [Author] {
    /// The names in order, joined by ` & `: the one way in which several authors are shown.
    package var joined: String {
        count == 1 ? self[0].name : map(\.name).joined(separator: " & ")
    }
}

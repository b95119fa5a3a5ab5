internal import Catalog
internal import CommandLanguage
internal import Glibc
internal import Shelf
internal import TextForms

/// The books that a selector means, one at a time, so that a million of them take no memory.
struct BookSelection {
    let selector: Selector?

    /// Whether books that don't stand on the shelf count as well.
    let includesHidden: Bool

    /// The mount points of the profile, for selectors that are paths in one.
    let mountPoints: [String]

    /// Passes the books on, by number, or what a search finds, best first.
    ///
    /// - Throws: ``Failure`` if the catalog can't be read, or a path or number names no book.
    func forEach(
        _ queries: inout CatalogQueries, _ body: (CatalogBook) throws(Failure) -> Void
    ) throws(Failure) {
        switch selector {
        case .id(let id):
            guard let book = try read({ () throws(CatalogError) in try queries.book(id) }) else {
                throw .failed("“id:\(id.rawValue)” means no book; bookshelf list --all shows the numbers")
            }
            try body(book)
        case .path(let path): try forEachBook(at: path, &queries, body)
        case .search(let words): try forEachBook(with: words, &queries, body)
        case .category, .author, .series, .all, nil:
            try scan(&queries, where: matcher(), body)
        }
    }

    /// Passes on what a search finds.
    private func forEachBook(
        with words: String, _ queries: inout CatalogQueries, _ body: (CatalogBook) throws(Failure) -> Void
    ) throws(Failure) {
        // A sample stands on the shelf without being purchased.
        let found = try read { () throws(CatalogError) in
            try queries.search(SearchQuery(words), includesUnpurchased: true)
        }
        for id in found.books {
            guard let book = try read({ () throws(CatalogError) in try queries.book(id) }),
                includesHidden || !book.paths.isEmpty
            else { continue }
            try body(book)
        }
    }

    private func scan(
        _ queries: inout CatalogQueries, where matches: (CatalogBook) -> Bool,
        _ body: (CatalogBook) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        try read { () throws(CatalogError) in
            try queries.forEachBook { book in
                guard failure == nil, includesHidden || !book.paths.isEmpty, matches(book) else { return }
                do throws(Failure) { try body(book) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }

    private func matcher() -> (CatalogBook) -> Bool {
        switch selector {
        case .category(let name):
            let folded = name.foldedForComparison
            return { book in
                let categories = book.categories.isEmpty ? ["Uncategorised"] : book.categories
                return categories.contains { $0.foldedForComparison == folded }
                    // As the directory is called, too.
                    || book.paths.contains { $0.prefix { $0 != "/" }.description.foldedForComparison == folded }
            }
        case .author(let name):
            let folded = name.foldedForComparison
            return {
                $0.authors.contains {
                    $0.name.foldedForComparison == folded || $0.sortName?.foldedForComparison == folded
                }
            }
        case .series(let name):
            let folded = name.foldedForComparison
            return { $0.series?.foldedForComparison == folded }
        case .all, .id, .path, .search, nil: return { _ in true }
        }
    }

    // MARK: - Paths

    private func forEachBook(
        at path: String, _ queries: inout CatalogQueries, _ body: (CatalogBook) throws(Failure) -> Void
    ) throws(Failure) {
        let parts = relativeParts(of: path)
        if parts.isEmpty { return try scan(&queries, where: { !$0.paths.isEmpty }, body) }
        if let book = try read({ () throws(CatalogError) in try queries.book(at: parts) }) { return try body(book) }
        var isFound = false
        let prefix = parts.joined(separator: "/") + "/"
        try scan(&queries, where: { $0.paths.contains { $0.hasPrefix(prefix) } }) { (book) throws(Failure) in
            isFound = true
            try body(book)
        }
        guard isFound else { throw notFound(path) }
    }

    private func notFound(_ path: String) -> Failure {
        .failed("no book stands at “\(path)”; bookshelf list shows the paths")
    }

    /// The parts of a path below the mount point; no file system is asked, least of all the mount.
    private func relativeParts(of path: String) -> [String] {
        var absolute = path
        if !path.hasPrefix("/") {
            let directory = unsafe getcwd(nil, 0)
            defer { unsafe free(directory) }
            if let directory = unsafe directory { absolute = unsafe String(cString: directory) + "/" + path }
        }
        var parts: [String] = []
        for part in absolute.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        let normal = "/" + parts.joined(separator: "/")
        for mountPoint in mountPoints where normal == mountPoint || normal.hasPrefix(mountPoint + "/") {
            return normal.dropFirst(mountPoint.count).split(separator: "/").map(String.init)
        }
        // Not in a mount: relative to where one would be.
        return path.split(separator: "/").filter { $0 != "." }.map(String.init)
    }

    private func read<Success>(_ body: () throws(CatalogError) -> Success) throws(Failure) -> Success {
        do throws(CatalogError) { return try body() } catch { throw .failed(error.reason) }
    }
}

extension ProfileState {
    /// The books that a selector means, with the search index up to date if it is asked.
    ///
    /// - Throws: ``Failure``.
    func selection(
        of selector: Selector?, includingHidden includesHidden: Bool, _ queries: borrowing CatalogQueries
    ) throws(Failure) -> BookSelection {
        if case .search? = selector { try updateSearchIndex(queries) }
        return BookSelection(selector: selector, includesHidden: includesHidden, mountPoints: mountPoints)
    }

    /// The numbers of the books that selectors mean.
    ///
    /// - Parameters:
    ///   - selectors: In the order in which they were named.
    ///   - includesHidden: Whether books that don't stand on the shelf count as well.
    ///   - mayBeEmpty: Whether a selector may mean no book.
    /// - Returns: Each once, in the order in which they were named.
    /// - Throws: ``Failure``, also for a selector that means no book and has to.
    func books(
        of selectors: [Selector], includingHidden includesHidden: Bool = false,
        mayBeEmpty: (Selector) -> Bool = { $0 == .all }
    ) throws(Failure) -> [BookID] {
        var queries = try queries()
        var books: [BookID] = []
        var seen: Set<BookID> = []
        for selector in selectors {
            let selection = try selection(of: selector, includingHidden: includesHidden, queries)
            var isEmpty = true
            try selection.forEach(&queries) { (book) throws(Failure) in
                isEmpty = false
                if seen.insert(book.id).inserted { books.append(book.id) }
            }
            if isEmpty, !mayBeEmpty(selector) {
                throw .failed("“\(selector.text)” means no book on the shelf; bookshelf list shows them")
            }
        }
        return books
    }
}

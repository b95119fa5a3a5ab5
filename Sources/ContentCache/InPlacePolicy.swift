package import Shelf

/// Which content is served where it lies, instead of being copied to the cache: files of this machine that somebody else looks
/// after.
package struct InPlacePolicy: Sendable {
    /// Whether it says so of any content.
    package let isUsed: Bool
    private let find: @Sendable (_ url: String, _ source: String) -> String?

    /// - Parameter find: The path of the file of a content, by its URL and the name of its source; `nil` for the cache. Called for
    ///   each read; must not wait.
    package init(_ find: @escaping @Sendable (_ url: String, _ source: String) -> String?) {
        isUsed = true
        self.find = find
    }

    private init() {
        isUsed = false
        find = { _, _ in nil }
    }

    /// Everything goes through the cache.
    package static var none: InPlacePolicy { InPlacePolicy() }

    /// The path of the file that is served as a content; `nil` for one that goes through the cache.
    package func path(ofURL url: String, source: String) -> String? {
        isUsed ? find(url, source) : nil
    }

    func path(of version: ContentVersion) -> String? { path(ofURL: version.url, source: version.source) }

    /// Where content stands that is served so: whether its file is there.
    ///
    /// - Returns: `nil` for content that goes through the cache.
    package func state(ofURL url: String, source: String) -> ContentState? {
        path(ofURL: url, source: source).map { FileStamp(following: $0) == nil ? .unavailable : .local }
    }
}

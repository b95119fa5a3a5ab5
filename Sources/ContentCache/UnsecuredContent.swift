internal import Shelf

/// A content that is visible and may not be on the disk yet.
final class UnsecuredContent: Sendable {
    let stage: StageFile
    let file: CachedFile
    let version: ContentVersion

    /// As the source wrote it.
    let etag: String?

    init(_ stage: consuming StageFile, _ file: CachedFile, of version: ContentVersion, etag: String?) {
        self.stage = stage
        self.file = file
        self.version = version
        self.etag = etag
    }
}

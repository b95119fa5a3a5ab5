extension ContentCache {
    /// How much a cache holds.
    package struct Usage: Sendable, Equatable {
        package var byteCount: Int64
        package var fileCount: Int

        package init(byteCount: Int64 = 0, fileCount: Int = 0) {
            self.byteCount = byteCount
            self.fileCount = fileCount
        }
    }
}

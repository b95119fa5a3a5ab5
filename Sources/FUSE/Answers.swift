/// An inode under a name, and for how long the kernel may believe it.
package struct Entry: Sendable, Hashable {
    package var attributes: Attributes

    /// How long the kernel may use the name without asking; zero for once.
    package var entryValidity: Duration

    /// How long the kernel may use the attributes without asking; zero for once.
    package var attributeValidity: Duration

    package init(_ attributes: Attributes, entryValidity: Duration, attributeValidity: Duration) {
        self.attributes = attributes
        self.entryValidity = entryValidity
        self.attributeValidity = attributeValidity
    }
}

/// The answer to LOOKUP.
package enum LookupAnswer: Sendable, Hashable {
    case found(Entry)

    /// There is no such name, and the kernel may remember that: ENOENT without asking again.
    case absent(validity: Duration)
}

/// The answer to GETATTR.
package struct AttributesAnswer: Sendable, Hashable {
    package var attributes: Attributes

    /// How long the kernel may use the attributes without asking; zero for once.
    package var validity: Duration

    package init(_ attributes: Attributes, validity: Duration) {
        self.attributes = attributes
        self.validity = validity
    }
}

/// The answer to OPEN and OPENDIR.
package struct OpenAnswer: Sendable, Hashable {
    /// What the kernel does with its caches for this handle.
    package struct Options: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Pages, or a cached listing, of earlier opens stay good.
        ///
        /// Kernel: `FOPEN_KEEP_CACHE`.
        package static let keepsCache = Options(rawValue: 1)

        /// Nothing need be told at close(2).
        ///
        /// Kernel: `FOPEN_NOFLUSH`.
        package static let skipsFlush = Options(rawValue: 2)

        /// The kernel may keep the listing of a directory.
        ///
        /// Kernel: `FOPEN_CACHE_DIR`.
        package static let cachesListing = Options(rawValue: 4)
    }

    /// Comes back with every request on the open file; a worker that takes over gets handles of the last one, so this
    /// must be a number that means the same to both, not a place in a table.
    package var handle: UInt64
    package var options: Options

    /// The file that the kernel reads instead of asking; of the options only ``Options/skipsFlush`` goes with it.
    ///
    /// Kernel: `FOPEN_PASSTHROUGH`.
    package var backing: BackingID?

    package init(handle: UInt64, options: Options, backing: BackingID? = nil) {
        self.handle = handle
        self.options = options
        self.backing = backing
    }
}

/// The answer to STATFS; see statvfs(3).
package struct FileSystemStatistics: Sendable, Hashable {
    /// In bytes; the unit of the counts of blocks.
    package var blockByteCount: UInt64
    package var blockCount: UInt64
    package var freeBlockCount: UInt64
    package var fileCount: UInt64

    package init(blockByteCount: UInt64, blockCount: UInt64, freeBlockCount: UInt64, fileCount: UInt64) {
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeBlockCount = freeBlockCount
        self.fileCount = fileCount
    }
}

/// Bytes of an open file that the kernel fetches without this process copying them.
package struct FileRange: Sendable, Hashable {
    /// Borrowed: stays open until the answering call returns.
    package let descriptor: CInt
    package let offset: Int64

    /// Of what is answered; less than what was asked for only where the file ends.
    package let byteCount: Int

    /// Of the file, in bytes, where somebody has just looked; `nil` has it looked at once more.
    package let fileByteCount: Int64?

    package init(descriptor: CInt, offset: Int64, byteCount: Int, fileByteCount: Int64? = nil) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
        self.fileByteCount = fileByteCount
    }

    /// No more than a request asked for; the kernel would fail it otherwise.
    func prefix(_ limit: Int) -> FileRange {
        FileRange(
            descriptor: descriptor, offset: offset, byteCount: min(byteCount, limit), fileByteCount: fileByteCount)
    }
}

extension Duration {
    /// In the unit of libfuse's time-outs.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

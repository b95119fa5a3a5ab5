import ContentCache
import ContentSources
import Digest
import Foundation
import HTTP
import Shelf
import Synchronization
import TestHarness
import Testing
import Threads

/// A cache in a directory of its own, and the server that its books come from.
final class CacheBench: Sendable {
    /// Does what the bench says.
    private struct Client: CacheClient {
        weak let bench: CacheBench?

        func isOpen(_ version: VersionID) -> Bool { bench?.openVersions.withLock { $0.contains(version) } ?? false }

        func isPinned(_ version: VersionID) -> Bool { bench?.pinnedVersions.withLock { $0.contains(version) } ?? false }

        func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> SizeCorrection {
            bench?.corrections.withLock { $0.append(byteCount) }
            return bench?.takesCorrections ?? false ? .made : .refused
        }

        func renew(_ version: VersionID) { bench?.renewals.withLock { $0.append(version) } }

        func dropPages(of version: VersionID) { bench?.drops.withLock { $0.append(version) } }
    }

    let renewals = Mutex<[VersionID]>([])
    let drops = Mutex<[VersionID]>([])
    let server: FaultServer
    let directory: URL
    let loop: TransferLoop
    let clock = FakeClock()
    let openVersions = Mutex<Set<VersionID>>([])
    let pinnedVersions = Mutex<Set<VersionID>>([])
    let corrections = Mutex<[Int64]>([])
    private let takesCorrections: Bool
    private let maximumWaitingCount: Int
    private let retryDelays: [Duration]
    private let configure: @Sendable (inout ContentCache.Settings) -> Void
    private let held = Mutex<ContentCache?>(nil)

    init(
        takesCorrections: Bool = true, maximumWaitingCount: Int = 512, stall: Duration = .seconds(30),
        retryDelays: [Duration] = [.milliseconds(1), .milliseconds(1), .milliseconds(1)],
        in parent: URL = FileManager.default.temporaryDirectory,
        configure: @escaping @Sendable (inout ContentCache.Settings) -> Void = { _ in }
    ) throws {
        self.configure = configure
        server = try FaultServer()
        directory = parent.appending(path: "cache-\(UUID().uuidString)")
        loop = TransferLoop(
            CurlLibrary(),
            retryPolicy: RetryPolicy(delays: retryDelays, jitter: { 1 }))
        self.takesCorrections = takesCorrections
        self.maximumWaitingCount = maximumWaitingCount
        self.retryDelays = retryDelays
        held.withLock { $0 = nil }
        try reopen(stall: stall)
    }

    deinit {
        cache?.shutDown(atMost: .seconds(60))
        loop.shutDown()
        server.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    var cache: ContentCache? { held.withLock { $0 } }

    var path: String { directory.path(percentEncoded: false) }

    /// Opens the cache anew, as the next process would.
    ///
    /// - Parameters:
    ///   - stall: How long a source may be silent.
    ///   - isFirstUse: Whether it is the first process of its mount.
    ///   - catalog: The identity of the catalog that it belongs to.
    ///   - inPlace: Which content isn't copied.
    /// - Throws: What opening it throws.
    func reopen(
        stall: Duration = .seconds(30), isFirstUse: Bool = false, catalog: String? = nil,
        inPlace: InPlacePolicy = .none
    ) throws {
        cache?.shutDown(atMost: .seconds(60))
        var settings = ContentCache.Settings()
        settings.maximumWaitingCount = maximumWaitingCount
        settings.now = { [clock] in clock.now }
        settings.retryDelays = retryDelays
        settings.saveInterval = .milliseconds(1)
        settings.isFirstUse = isFirstUse
        settings.catalog = catalog
        settings.inPlace = inPlace
        configure(&settings)
        let transfers = ContentTransfers(loop, timeouts: .init(stall: stall))
        let cache = try ContentCache(
            at: path, fetcher: transfers, client: Client(bench: self), settings: settings)
        held.withLock { $0 = cache }
    }

    /// A version whose content is at `/ID` of the server.
    func version(
        _ id: Int64 = 1, _ body: [UInt8], byteCount: Int64? = nil, isBinding: Bool = false,
        confirmedETag: String? = nil, hasHash: Bool = true, isSuperseded: Bool = false, url: String? = nil
    ) -> ContentVersion {
        ContentVersion(
            id: VersionID(rawValue: id), book: BookID(rawValue: id), title: "Book \(id)", source: "test",
            url: url ?? server.url("/\(id)"), mediaType: "application/epub+zip",
            byteCount: byteCount ?? Int64(body.count), isByteCountBinding: isBinding, confirmedETag: confirmedETag,
            sha256: hasHash ? DigestAlgorithm.sha256.hexadecimal(of: body) : nil, isSuperseded: isSuperseded,
            allowsPlainHTTP: false)
    }

    /// Serves a content at `/ID`.
    ///
    /// - Returns: The version whose content it is.
    func serve(
        _ id: Int64 = 1, _ body: [UInt8], hasHash: Bool = true, _ change: (inout ServedContent) -> Void = { _ in }
    ) -> ContentVersion {
        var content = ServedContent(body)
        change(&content)
        server.serve("/\(id)", content)
        return version(id, body, hasHash: hasHash)
    }

    /// Serves a content and reads it, so that it is on disk.
    func bringLocal(_ id: Int64 = 1, _ body: [UInt8], hasHash: Bool = true) throws -> ContentVersion {
        let version = serve(id, body, hasHash: hasHash)
        #expect(try read(version).file != nil)
        // Who fetches waits for the disk.
        #expect(try fetch(version).file != nil)
        return version
    }

    /// Starts a read of a range, by default of the whole.
    func read(
        _ version: ContentVersion, _ range: Range<Int64>? = nil, deadline: Duration = .seconds(20)
    ) throws -> PendingAnswer {
        let cache = try #require(cache)
        let answer = PendingAnswer()
        answer.handle = cache.read(
            version, range: range ?? 0..<version.byteCount, deadline: deadline, program: "reader"
        ) { answer.take($0) }
        return answer
    }

    func fetch(_ version: ContentVersion) throws -> PendingAnswer {
        let cache = try #require(cache)
        let answer = PendingAnswer()
        answer.handle = cache.fetch(version) { answer.take($0) }
        return answer
    }

    /// The file of a version, as the cache names it.
    func file(of version: ContentVersion) -> URL? {
        let enumerator = FileManager.default.enumerator(
            at: directory.appending(path: "content"), includingPropertiesForKeys: nil)
        for case let url as URL in enumerator ?? .init() where url.lastPathComponent == "\(version.id.rawValue).book" {
            return url
        }
        return nil
    }

    /// The numbers of the versions that have a file on disk.
    var localNumbers: [Int64] {
        var found: [Int64] = []
        cache?.forEachLocal { version, _ in found.append(version.rawValue) }
        return found.sorted()
    }

    var stagedNames: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path + "/stage")) ?? []
    }
}

/// What a read is answered with, once.
final class PendingAnswer: Sendable {
    private struct State {
        var outcome: Result<CachedFile, ContentError>?
        var count = 0
        var handle: PendingRead?
    }

    private let state = Monitor(State())

    var handle: PendingRead? {
        get { state.update { $0.handle } }
        set { state.update { $0.handle = newValue } }
    }

    func take(_ outcome: Result<CachedFile, ContentError>) {
        state.update { state in
            state.outcome = outcome
            state.count += 1
        }
    }

    var isAnswered: Bool { state.update { $0.outcome != nil } }

    var answerCount: Int { state.update { $0.count } }

    /// The answer, or `nil` if there is none within ten seconds.
    var outcome: Result<CachedFile, ContentError>? {
        state.wait(atMost: .seconds(60)) { $0.outcome }
    }

    var error: ContentError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    var file: CachedFile? { try? outcome?.get() }

    /// The bytes of a range of the file that the read was answered with.
    func bytes(_ range: Range<Int64>) -> [UInt8]? {
        guard let file else { return nil }
        var bytes = [UInt8](repeating: 0, count: range.count)
        let count = unsafe pread(file.descriptor, &bytes, bytes.count, Int(range.lowerBound))
        return count == bytes.count ? bytes : nil
    }
}

/// A clock that goes when it is told to.
final class FakeClock: Sendable {
    private let instant = Mutex(SuspendingClock().now)

    var now: SuspendingClock.Instant { instant.withLock { $0 } }

    func advance(by duration: Duration) {
        instant.withLock { $0 = $0 + duration }
    }
}

// A failed expectation shows what its parts hold, and what those hold: of a cache that is everything, which takes minutes.
extension ContentCache: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension CacheBench: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension PendingAnswer: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

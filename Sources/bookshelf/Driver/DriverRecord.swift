internal import Glibc
internal import Processes
internal import SharedMemory

/// What the processes of a mount leave for those that come after them, in memory that outlives each of them.
///
/// The supervisor writes the incidents and how a replacement went; a worker writes its number, where its code lies, what
/// it works on, when it began to serve, and if it crashes, where.
///
/// Invariant: of an incident everything is written before it is counted.
final class DriverRecord: Sendable {
    /// The size of the memory, in words of eight bytes.
    static var wordCount: Int { Word.incidents + incidentCount * incidentSize }

    /// How many incidents are kept.
    static var incidentCount: Int { 12 }

    /// How many threads may be named that serve.
    static var threadCount: Int { 16 }

    private static var incidentSize: Int { 64 }

    private enum Word {
        static var worker: Int { 0 }
        static var replacements: Int { 1 }
        static var incidentTotal: Int { 2 }
        static var imageStart: Int { 3 }
        static var imageEnd: Int { 4 }
        static var outcomeByteCount: Int { 5 }
        static var sentinel: Int { 6 }
        static var requests: Int { 8 }
        static var crash: Int { 32 }
        static var outcome: Int { 96 }
        static var incidents: Int { 160 }
    }

    /// The end of a process that nobody wanted.
    struct Incident: Hashable, Sendable {
        let part: DriverProcess

        /// In seconds since 1970.
        let at: Int64

        /// How it ended, and where if it crashed.
        let words: String

        /// From when its end was seen to when another served; `nil` where none has yet, or it served nobody.
        let gap: Duration?
    }

    private let region: SharedRegion

    /// - Parameter region: Of ``wordCount`` words.
    init(in region: SharedRegion) {
        self.region = region
    }

    var descriptor: Int32 { region.descriptor }

    // MARK: - Workers

    /// A thread of the worker that waits for nothing that could hold it when it is killed; 0 until it runs.
    var sentinel: Int32 {
        get { Int32(truncatingIfNeeded: region.load(Word.sentinel)) }
        set { region.store(UInt64(UInt32(bitPattern: newValue)), at: Word.sentinel) }
    }

    /// The worker that serves, or served last; 0 before the first.
    var worker: Int32 { Int32(truncatingIfNeeded: region.load(Word.worker)) }

    /// Makes this process the worker: writes down who it is, and from now on what it works on and where it crashes.
    ///
    /// Keep this as long as the process lives.
    func beginWorker() {
        sentinel = 0
        region.store(UInt64(getpid()), at: Word.worker)
        for index in Word.requests..<Word.requests + Self.threadCount { region.store(0, at: index) }
        for index in Word.crash..<Word.crash + CrashRecord.wordCount { region.store(0, at: index) }
        region.store(CrashRecord.image.lowerBound, at: Word.imageStart)
        region.store(CrashRecord.image.upperBound, at: Word.imageEnd)
        unsafe CrashRecord.record(in: region.address(of: Word.crash, count: CrashRecord.wordCount))
    }

    /// Notes which request a thread works on, 0 for none.
    func note(request: UInt64, on thread: Int) {
        if thread < Self.threadCount { region.store(request, at: Word.requests + thread) }
    }

    /// What the worker worked on when it ended.
    var requestsInProgress: [UInt64] {
        (Word.requests..<Word.requests + Self.threadCount).map(region.load).filter { $0 != 0 }
    }

    /// The crash of the worker, if it crashed.
    var crash: CrashRecord? {
        CrashRecord((Word.crash..<Word.crash + CrashRecord.wordCount).map(region.load))
    }

    /// Where the code of the worker lay.
    var image: Range<UInt64> {
        let start = region.load(Word.imageStart)
        return start..<max(start, region.load(Word.imageEnd))
    }

    /// Notes that this process serves from now on.
    func noteServing() {
        let now = Self.monotonicNanoseconds
        for incident in indices where region.load(incident + 3) == 0 { region.store(now, at: incident + 3) }
    }

    // MARK: - Incidents

    /// Writes an incident down; the oldest makes room.
    ///
    /// - Parameters:
    ///   - part: Whose end it was.
    ///   - words: Cut where there is no more room.
    func note(endOf part: DriverProcess, _ words: String) {
        let count = region.load(Word.incidentTotal)
        let start = Word.incidents + Int(count % UInt64(Self.incidentCount)) * Self.incidentSize
        let now = Self.monotonicNanoseconds
        let bytes = Array(words.utf8.prefix((Self.incidentSize - 8) * 8))
        region.store(UInt64(part.number), at: start)
        region.store(UInt64(bitPattern: Now.seconds), at: start + 1)
        region.store(now, at: start + 2)
        // Of the others nobody waits for the next.
        region.store(part == .worker ? 0 : now, at: start + 3)
        region.store(UInt64(bytes.count), at: start + 4)
        region.write(bytes.span, at: (start + 8) * 8)
        region.store(count + 1, at: Word.incidentTotal)
    }

    /// The last incidents, the oldest first.
    var incidents: [Incident] {
        indices.compactMap { start in
            guard let part = DriverProcess(number: Int(region.load(start))) else { return nil }
            let (down, up) = (region.load(start + 2), region.load(start + 3))
            let byteCount = min(Int(region.load(start + 4)), (Self.incidentSize - 8) * 8)
            return Incident(
                part: part, at: Int64(bitPattern: region.load(start + 1)),
                words: String(decoding: region.read(byteCount, at: (start + 8) * 8), as: UTF8.self),
                gap: part == .worker && up > down ? .nanoseconds(Int64(up - down)) : nil)
        }
    }

    /// Where each incident begins, the oldest first.
    private var indices: [Int] {
        let count = region.load(Word.incidentTotal)
        let first = count - min(count, UInt64(Self.incidentCount))
        return (first..<count).map {
            Word.incidents + Int($0 % UInt64(Self.incidentCount)) * Self.incidentSize
        }
    }

    // MARK: - Replacements

    /// How often the program was to be replaced by another, and the last time has been settled.
    var replacementCount: Int { Int(region.load(Word.replacements)) }

    /// Why it wasn't, the last time; `nil` if it was.
    var replacementFailure: String? {
        let count = min(Int(region.load(Word.outcomeByteCount)), 512)
        return count == 0 ? nil : String(decoding: region.read(count, at: Word.outcome * 8), as: UTF8.self)
    }

    /// Notes how a replacement went.
    func noteReplacement(failure: String?) {
        let bytes = Array((failure ?? "").utf8.prefix(512))
        region.write(bytes.span, at: Word.outcome * 8)
        region.store(UInt64(bytes.count), at: Word.outcomeByteCount)
        region.add(1, to: Word.replacements)
    }

    private static var monotonicNanoseconds: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}

extension DriverProcess {
    fileprivate var number: Int {
        switch self {
        case .supervisor: 1
        case .worker: 2
        case .announcer: 3
        }
    }

    fileprivate init?(number: Int) {
        switch number {
        case 1: self = .supervisor
        case 2: self = .worker
        case 3: self = .announcer
        default: return nil
        }
    }
}

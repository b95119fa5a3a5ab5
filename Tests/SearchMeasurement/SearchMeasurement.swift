import Catalog
import Glibc
import Shelf

/// Measures the making of an index, and searches.
struct SearchMeasurement {
    let path: String
    let shelf: InventedShelf

    /// As many as a screen shows.
    private static let limit = 50

    func makeShelf() throws {
        let writer = try CatalogWriter(path: path)
        let source = try writer.addSource(name: "store", kind: "store", location: "/catalog.json")
        let start = Usage.now
        _ = try writer.replaceBooks(
            of: source, validators: { Validators() }, samples: .never, now: 1_700_000_000_000_000_000
        ) {
            (deliver) throws(SourceError) in
            for number in 0..<shelf.count { try deliver(.book(shelf.book(number), number: number + 1)) }
        }
        report("made", since: start)
    }

    func index() throws {
        let start = Usage.now
        _ = try SearchIndexer(catalogPath: path).bringUpToDate(waitingAtMost: .seconds(1))
        report("indexed", since: start)
    }

    func search(_ count: Int) throws {
        var queries = try CatalogQueries(path: path)
        for includesUnpurchased in [false, true] {
            for (kind, make) in shelf.queries {
                var random = Dice(seed: 7)
                var times: [Double] = []
                var processorTimes: [Double] = []
                var found = 0
                for _ in 0..<count {
                    let typed = make(&random)
                    let began = Usage.now
                    found += try queries.search(
                        SearchQuery(typed), includesUnpurchased: includesUnpurchased, limit: Self.limit,
                        countsAll: false
                    ).books.count
                    let ended = Usage.now
                    times.append(ended.wall - began.wall)
                    processorTimes.append(ended.processor - began.processor)
                }
                let last = min(count - 1, count * 99 / 100)
                times.sort()
                processorTimes.sort()
                print(
                    "{\"kind\": \"\(kind)\", \"all\": \(includesUnpurchased), \"p50\": \(times[count / 2]), "
                        + "\"p99\": \(times[last]), \"processorP50\": \(processorTimes[count / 2]), "
                        + "\"processorP99\": \(processorTimes[last]), "
                        + "\"found\": \(Double(found) / Double(count))}")
            }
        }
    }

    private func report(_ what: String, since start: Usage) {
        let now = Usage.now
        print(
            "{\"\(what)\": \(now.wall - start.wall), \"processor\": \(now.processor - start.processor), "
                + "\"peak\": \(now.peak)}")
    }
}

/// What this process has used so far.
struct Usage {
    /// In seconds since some instant.
    let wall: Double

    /// In seconds.
    let processor: Double

    /// The most memory that it ever had, in KB.
    let peak: Int

    static var now: Usage {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        var used = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ value: timespec) -> Double { Double(value.tv_sec) + Double(value.tv_nsec) / 1e9 }
        return Usage(wall: seconds(time), processor: seconds(used), peak: usage.ru_maxrss)
    }
}

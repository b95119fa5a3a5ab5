import Foundation
import SharedMemory
import Testing

@Suite("Shared counts")
struct SharedCountsTests {
    private static func makeCounts() throws -> (SharedRegion, SharedCounts) {
        let region = try SharedRegion(wordCount: SharedCounts.wordCount)
        return (region, SharedCounts(in: region))
    }

    @Test("Counts go up and down by number, and not below zero")
    func countsUpAndDown() throws {
        let (_, counts) = try Self.makeCounts()
        #expect(try counts.increment(5) == 1)
        #expect(try counts.increment(5) == 2)
        #expect(try counts.increment(6) == 1)
        #expect(counts.decrement(5) == 1)
        #expect(counts.count(of: 5) == 1)
        #expect(counts.decrement(5) == 0)
        #expect(counts.decrement(5) == 0)
        #expect(counts.count(of: 6) == 1)
        #expect(counts.count(of: 7) == 0)
    }

    @Test("A process that takes over finds the counts of the one before")
    func survivesTakeOver() throws {
        let (region, counts) = try Self.makeCounts()
        try counts.increment(1_000_000)
        let next = SharedCounts(
            in: try SharedRegion(descriptor: dup(region.descriptor), wordCount: SharedCounts.wordCount))
        #expect(next.count(of: 1_000_000) == 1)
        #expect(next.decrement(1_000_000) == 0)
        #expect(counts.count(of: 1_000_000) == 0)
    }

    @Test("A word whose count is back at zero serves other numbers")
    func reusesWords() throws {
        let (_, counts) = try Self.makeCounts()
        for key in UInt64(1)...70_000 {
            #expect(try counts.increment(key) == 1)
            #expect(counts.decrement(key) == 0)
        }
        var seen = 0
        counts.forEach { _, _ in seen += 1 }
        #expect(seen == 0)
    }

    @Test("A third of the capacity is there for any run of numbers")
    func holdsThirdOfCapacity() throws {
        let (_, counts) = try Self.makeCounts()
        let keys = UInt64(1)...UInt64(SharedCounts.capacity / 3)
        for key in keys { try counts.increment(key * 16) }
        #expect(keys.allSatisfy { counts.count(of: $0 * 16) == 1 })
        var total = 0
        counts.forEach { total += $1 }
        #expect(total == keys.count)
    }

    @Test("Where no room is left nothing is counted, and room that is made is used")
    func reportsFull() throws {
        let (_, counts) = try Self.makeCounts()
        var refused: UInt64?
        for key in UInt64(1)...UInt64(2 * SharedCounts.capacity) where refused == nil {
            do { try counts.increment(key) } catch { refused = key }
        }
        let key = try #require(refused)
        #expect(counts.count(of: key) == 0)
        for other in 1..<min(key, 20_000) { counts.decrement(other) }
        #expect(try counts.increment(key) == 1)
    }

    @Test("A number that doesn't fit is refused", arguments: [0, SharedCounts.largestKey + 1, .max])
    func refusesKeys(_ key: UInt64) throws {
        let (_, counts) = try Self.makeCounts()
        #expect(throws: SharedMemoryError.keyOutOfRange(key)) { try counts.increment(key) }
        #expect(counts.decrement(key) == 0)
        #expect(counts.count(of: key) == 0)
    }

    @Test("The largest number is counted")
    func countsLargestKey() throws {
        let (_, counts) = try Self.makeCounts()
        #expect(try counts.increment(SharedCounts.largestKey) == 1)
        var seen: [UInt64] = []
        counts.forEach { key, _ in seen.append(key) }
        #expect(seen == [SharedCounts.largestKey])
    }

    @Test("Threads that count the same numbers through two mappings lose nothing")
    func isExactUnderContention() throws {
        let (region, counts) = try Self.makeCounts()
        let other = SharedCounts(
            in: try SharedRegion(descriptor: dup(region.descriptor), wordCount: SharedCounts.wordCount))
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            let mine = number.isMultiple(of: 2) ? counts : other
            for round in 0..<2_000 {
                let key = UInt64(1 + round % 5)
                _ = try? mine.increment(key)
                _ = try? mine.increment(key)
                mine.decrement(key)
            }
        }
        for key in UInt64(1)...5 { #expect(counts.count(of: key) == 1_600) }
    }
}

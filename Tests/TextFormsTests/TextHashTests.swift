import Testing
import TextForms

@Suite("Hashes of texts")
struct TextHashTests {
    private static func hash(_ texts: String..., seed: UInt64 = 0) -> UInt64 {
        var hash = TextHash(seed: seed)
        for text in texts { hash.add(text) }
        return hash.value
    }

    @Test("Any two texts that differ in a byte, a length, their border or their order have different hashes")
    func different() {
        let long = String(repeating: "a", count: 64)
        var seen: Set<UInt64> = [
            Self.hash(""), Self.hash("", ""), Self.hash("ab", "c"), Self.hash("a", "bc"), Self.hash("c", "ab"),
            Self.hash("\0"), Self.hash("\0\0"), Self.hash("", seed: 1),
        ]
        #expect(seen.count == 8)
        for count in 1...64 {
            #expect(seen.insert(Self.hash(String(long.prefix(count)))).inserted)
            let changed = long.prefix(count - 1) + "b"
            #expect(seen.insert(Self.hash(String(changed))).inserted)
        }
        for number in 0..<100_000 where !seen.insert(Self.hash("The Silent River \(number)")).inserted {
            Issue.record("the hash of number \(number) is that of another text")
        }
    }

    @Test("The same texts have the same hash, however their strings are stored, and in every run")
    func same() {
        let whole = "Die Verwandlung, von Franz Kafka"
        let parts = ["Die Verwandlung, ", "von ", "Franz Kafka"].joined()
        #expect(Self.hash(whole) == Self.hash(parts))
        #expect(Self.hash(whole) == Self.hash(String((whole + "!").dropLast())))
        // Catalogs hold hashes: they must not change from one version to the next.
        var numbers = TextHash()
        numbers.add(0)
        numbers.add(.max)
        #expect(Self.hash("abc") == 7_864_055_424_577_594_390)
        #expect(Self.hash(whole) == 1_906_166_795_589_791_324)
        #expect(numbers.value == 3_838_671_381_797_790_375)
    }
}

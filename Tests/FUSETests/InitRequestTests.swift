import FUSE
import Testing

@Suite("INIT request")
struct InitRequestTests {
    /// A request of version 7.45 with the given words of flags.
    private static func bytes(flags: UInt32, moreFlags: UInt32) -> [UInt8] {
        var words = [UInt32](repeating: 0, count: 26)
        words[0] = 104
        words[1] = 26
        words[10] = 7
        words[11] = 45
        words[13] = flags
        words[14] = moreFlags
        return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    }

    @Test("What was written as digits is read back")
    func roundTrips() throws {
        let request = try #require(InitRequest(Self.bytes(flags: 0x73ff_fbff, moreFlags: 0x5fd)))
        #expect(InitRequest(hexadecimal: request.hexadecimal) == request)
    }

    @Test("Resending is offered only where both words of flags say so")
    func recognisesResend() throws {
        let both = InitRequest(Self.bytes(flags: 1 << 30, moreFlags: 1 << 7))
        #expect(both?.supportsResend == true)
        #expect(InitRequest(Self.bytes(flags: 0, moreFlags: 1 << 7))?.supportsResend == false)
        #expect(InitRequest(Self.bytes(flags: 1 << 30, moreFlags: 0))?.supportsResend == false)
    }

    @Test("Passthrough is offered only where both words of flags say so")
    func recognisesPassthrough() {
        #expect(InitRequest(Self.bytes(flags: 1 << 30, moreFlags: 1 << 5))?.offersPassthrough == true)
        #expect(InitRequest(Self.bytes(flags: 0, moreFlags: 1 << 5))?.offersPassthrough == false)
        #expect(InitRequest(Self.bytes(flags: 1 << 30, moreFlags: ~(1 << 5)))?.offersPassthrough == false)
    }

    @Test("Anything else is refused", arguments: ["", "00", "0g", "680", "680000001b000000"])
    func refusesOthers(_ digits: String) {
        #expect(InitRequest(hexadecimal: digits) == nil)
        let bytes = Self.bytes(flags: 0, moreFlags: 0)
        #expect(InitRequest(bytes.dropLast()) == nil)
        #expect(InitRequest(bytes + [0]) == nil)
    }
}

import Foundation
import JSON
import Testing

@Suite("JSON reader")
struct ReaderTests {
    private let tricky = """
        \u{FEFF} {"books" : [ {"title":"红楼梦 \\u4e2d\\ud83d\\ude42 \\"q\\" \\\\ \\/ 🙂","n":-12.50e+3, "t":true,"f":false,
        "x":null,"":[[],{}]} , 0 , "" ] , "v":18446744073709551616}

        """

    @Test("The events of a document come in order, with escapes resolved and numbers as written")
    func events() throws {
        let events = try EventLog.events(of: [Array(tricky.utf8)])
        #expect(
            events == [
                "{", "k:books", "[", "{", "k:title", "s:红楼梦 中🙂 \"q\" \\ / 🙂", "k:n", "n:-12.50e+3", "k:t", "true",
                "k:f",
                "false", "k:x", "null", "k:", "[", "[", "]", "{", "}", "]", "}", "n:0", "s:", "]", "k:v",
                "n:18446744073709551616", "}",
            ])
    }

    @Test("Where the pieces end makes no difference")
    func borders() throws {
        let bytes = Array(tricky.utf8)
        let whole = try EventLog.events(of: [bytes])
        for first in 0...bytes.count {
            #expect(try EventLog.events(of: [Array(bytes[..<first]), Array(bytes[first...])]) == whole)
        }
        #expect(try EventLog.events(of: bytes.map { [$0] }) == whole)
    }

    @Test(
        "A document that isn't JSON is refused with the place of the first fault",
        arguments: [
            ("[1,2,,3]", 5), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{1:2}", 1), ("[}", 1), ("[1] [2]", 4), ("<html>", 0),
            ("PK\u{3}\u{4}", 0), ("[nul]", 4), ("[\"\\x\"]", 3), ("[\"a\nb\"]", 3), ("[01]", 2), ("[\u{0}]", 1),
            ("[NaN]", 1),
            ("{'a':1}", 1), ("[1,]", 3), ("[\"\\u12g4\"]", 6), ("// x\n[]", 0),
        ])
    func malformed(_ document: String, _ offset: Int) {
        for pieces in [[Array(document.utf8)], document.utf8.map { [$0] }] {
            do throws(JSONError) {
                _ = try EventLog.events(of: pieces)
                Issue.record("taken: \(document)")
            } catch {
                guard case .malformed(let at, let reason) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(at == offset, "\(document): \(reason)")
                #expect(!reason.isEmpty && !reason.hasSuffix("."))
            }
        }
    }

    @Test("A document that ends early says so, wherever it ends")
    func incomplete() throws {
        let bytes = Array(tricky.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        let start = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
        for end in start + 1..<bytes.count {
            #expect(throws: JSONError.incomplete(offset: end)) { try EventLog.events(of: [Array(bytes[..<end])]) }
        }
    }

    @Test("A document without any value is empty", arguments: ["", " \n\t\r", "\u{FEFF}", "\u{FEFF} "])
    func empty(_ document: String) {
        #expect(throws: JSONError.empty) { try EventLog.events(of: [Array(document.utf8)]) }
    }

    @Test(
        "Bytes that aren't UTF-8 are refused with the place of the first ill-formed sequence",
        arguments: [
            [0xB9, 0xFA], [0xC0, 0x80], [0xC3], [0xE4, 0xBD], [0xED, 0xA0, 0x80], [0xF5], [0xF4, 0x90, 0x80, 0x80],
            [0xFF],
            [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xC3, 0xC3, 0xA9], [0x80], [0xF0, 0x9F, 0x99, 0x22],
        ] as [[UInt8]])
    func notUTF8(_ fault: [UInt8]) {
        let before = Array(#"["well-formed 中文 é 🙂 "#.utf8)
        let document = before + fault + Array(#"x"]"#.utf8)
        #expect(throws: JSONError.notUTF8(offset: before.count)) { try EventLog.events(of: [document]) }
        for border in 0...document.count {
            #expect(throws: JSONError.notUTF8(offset: before.count), "border at \(border)") {
                try EventLog.events(of: [Array(document[..<border]), Array(document[border...])])
            }
        }
    }

    @Test("Every character of Unicode passes the check, in pieces of every length")
    func everyCharacter() throws {
        var text = ""
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            text.unicodeScalars.append(scalar)
        }
        let bytes = Array("[\"\(text)\"]".utf8)
        for length in [1, 2, 3, 5, 7, 64, 65_536] {
            let pieces = stride(from: 0, to: bytes.count, by: length).map {
                Array(bytes[$0..<min($0 + length, bytes.count)])
            }
            #expect(try EventLog.events(of: pieces) == ["[", "s:" + text, "]"])
        }
    }

    @Test("What is wrong first is reported, be it syntax or encoding")
    func firstFault() {
        #expect(throws: JSONError.notUTF8(offset: 1)) { try EventLog.events(of: [[0x5B, 0xFF, 0x7D]]) }
        let error = #expect(throws: JSONError.self) { try EventLog.events(of: [[0x5B, 0x7D, 0xFF]]) }
        #expect(error?.offset == 1)
    }

    @Test("Nesting over the limit is refused; up to the limit it is taken")
    func depth() throws {
        func document(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(try EventLog.events(of: [document(64)]).count == 128)
        #expect(throws: JSONError.tooDeep(offset: 65, limit: 64)) { try EventLog.events(of: [document(65)]) }
        #expect(throws: JSONError.tooDeep(offset: 65, limit: 64)) {
            try EventLog.events(of: [Array(repeating: UInt8(ascii: "["), count: 1 << 20)])
        }
    }

    @Test("A value over the limit is refused, however it arrives; up to the limit it is taken")
    func length() throws {
        let limits = JSONLimits(valueByteCount: 100_000)
        for (byteCount, isTaken) in [(99_900, true), (100_100, false), (1_000_000, false)] {
            let bytes = Array("[1,\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: byteCount) + Array("\"]".utf8)
            for length in [997, 65_536, bytes.count] {
                let pieces = stride(from: 0, to: bytes.count, by: length).map {
                    Array(bytes[$0..<min($0 + length, bytes.count)])
                }
                if isTaken {
                    #expect(try EventLog.events(of: pieces, limits: limits).count == 4)
                } else {
                    #expect(throws: JSONError.tooLong(offset: 2, limit: 100_000)) {
                        try EventLog.events(of: pieces, limits: limits)
                    }
                }
            }
        }
    }

    @Test("A string without end is refused as soon as it is over the limit")
    func endlessString() throws {
        var reader = JSONReader(handler: EventCount())
        let piece = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
        try reader.feed(Array("[\"".utf8).span)
        var fed = 0
        do throws(JSONError) {
            while fed < 2_048 {
                try reader.feed(piece.span)
                fed += 1
            }
        } catch {
            #expect(error == .tooLong(offset: 1, limit: 16 << 20))
        }
        #expect(fed < 17)
        #expect(throws: JSONError.tooLong(offset: 1, limit: 16 << 20)) { try reader.feed(piece.span) }
        #expect(throws: JSONError.tooLong(offset: 1, limit: 16 << 20)) { try reader.finish() }
    }

    @Test("A million records on one line stream through without being kept")
    func oneLine() throws {
        let count = EventCount()
        var reader = JSONReader(handler: count, limits: JSONLimits(valueByteCount: 64))
        let records = Array(
            String(repeating: #"{"title":"A book","author":"Somebody","pages":[1,2,3]},"#, count: 1_000).utf8)
        try reader.feed(Array("[".utf8).span)
        for _ in 0..<1_000 { try reader.feed(records.span) }
        try reader.feed(Array("0]".utf8).span)
        try reader.finish()
        #expect(count.objects == 1_000_000)
        #expect(count.strings == 2_000_000)
    }

    @Test("A handler can stop the reading, and nothing more reaches it")
    func stops() {
        let log = EventLog(stopAt: "n:2")
        #expect(throws: JSONError.stopped(offset: 4, reason: "enough")) { try log.read([Array("[1,2,3]".utf8)]) }
        #expect(log.events == ["[", "n:1", "n:2"])
    }

    @Test("Half a surrogate pair becomes text that is well-formed", arguments: [#"["a\ud83d"]"#, #"["\udc00b"]"#])
    func loneSurrogates(_ document: String) throws {
        let events = try EventLog.events(of: [Array(document.utf8)])
        #expect(events.count == 3)
        #expect(events[1].contains { $0 == "?" || $0 == "\u{FFFD}" })
    }
}

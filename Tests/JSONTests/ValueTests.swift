import Foundation
import JSON
import Testing

@Suite("JSON values")
struct ValueTests {
    @Test(
        "A value comes back as it was written",
        arguments: [
            nil, true, false, 0, -1, 9_223_372_036_854_775_807, -9_223_372_036_854_775_808, 0.1, -2.5e-300, 1e20, "",
            "a\"b\\c/d",
            "\u{0}\u{1}\u{1F}\u{7F}\n\r\t", "红楼梦 🙂 e\u{301}", [], [:], [1, [2, [3]]],
            ["z": 1, "a": ["m": nil, "b": [true]], "": ""],
        ] as [JSONValue])
    func roundTrip(_ value: JSONValue) throws {
        #expect(try JSONValue(parsing: value.encoded()) == value)
        #expect(try JSONValue(parsing: value.encoded(isIndented: true)) == value)
        _ = try JSONSerialization.jsonObject(with: Data(value.encoded()), options: .fragmentsAllowed)
    }

    @Test("Keys keep their order; compact and indented forms are as expected")
    func form() {
        let value: JSONValue = ["z": 1, "a": [1, "x"], "e": [], "o": [:], "n": nil, "d": 2.0]
        #expect(text(value.encoded()) == #"{"z":1,"a":[1,"x"],"e":[],"o":{},"n":null,"d":2.0}"#)
        #expect(
            text(value.encoded(isIndented: true)) == """
                {
                  "z": 1,
                  "a": [
                    1,
                    "x"
                  ],
                  "e": [],
                  "o": {},
                  "n": null,
                  "d": 2.0
                }
                """)
    }

    @Test("Only what must be escaped is escaped")
    func escapes() {
        let value = JSONValue.string("\"\\/\n\r\t\u{8}\u{C}\u{1F}é\u{2028}")
        #expect(text(value.encoded()) == #""\"\\/\n\r\t\u0008\u000c\u001fé"# + "\u{2028}\"")
    }

    @Test("Integers stay integers, and what is larger becomes a double")
    func numbers() throws {
        #expect(try JSONValue(parsing: "9007199254740993") == .integer(9_007_199_254_740_993))
        #expect(try JSONValue(parsing: "1.0") == .double(1))
        #expect(try JSONValue(parsing: "1.0").integerValue == 1)
        #expect(try JSONValue(parsing: "18446744073709551616") == .double(18_446_744_073_709_551_616))
        #expect(text(JSONValue.double(.infinity).encoded()) == "null")
        #expect(text(JSONValue(UInt64.max).encoded()) == "1.8446744073709552e+19")
        #expect(JSONValue.string("1").integerValue == nil)
    }

    @Test("Of a key that stands twice the last value wins")
    func duplicateKeys() throws {
        let value = try JSONValue(parsing: #"{"a":1,"b":2,"a":{"c":3}}"#)
        #expect(value == ["a": ["c": 3], "b": 2])
        #expect(value["a"]?["c"]?.integerValue == 3)
        #expect(value["x"] == nil)
    }

    @Test("A document over the limit is refused unread")
    func limit() {
        #expect(throws: JSONError.tooLong(offset: 0, limit: 10)) {
            try JSONValue(parsing: "[1,2,3,4,5]", byteLimit: 10)
        }
    }

    @Test("An object with a hundred thousand keys is taken in time")
    func manyKeys() throws {
        let members = (0..<100_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let value = try JSONValue(parsing: "{\(members)}", byteLimit: 4 << 20)
        #expect(value.objectValue?.members.count == 100_000)
        #expect(value["k99999"]?.integerValue == 99_999)
    }

    @Test("A long document can be taken from the writer in parts")
    func parts() throws {
        var writer = JSONWriter()
        var bytes: [UInt8] = []
        writer.startObject()
        writer.key("books")
        writer.startArray()
        for number in 0..<3 {
            writer.value(["id": .integer(Int64(number))])
            bytes += writer.take()
            #expect(writer.byteCount == 0)
        }
        writer.endArray()
        writer.key("total")
        writer.integer(3)
        writer.endObject()
        bytes += writer.take()
        #expect(text(bytes) == #"{"books":[{"id":0},{"id":1},{"id":2}],"total":3}"#)
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

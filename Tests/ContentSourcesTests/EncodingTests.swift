import ContentSources
import Glibc
import Shelf
import Testing

@Suite("Encodings of documents")
struct EncodingTests {
    private let document = #"[{"title":"红楼梦","author":"曹雪芹"},{"title":"𠀀 café"}]"#

    @Test("A document in GBK is refused with the place of the first byte that isn't UTF-8")
    func refusesGBK() throws {
        let bytes = try encoded(#"[{"title":"红楼梦","author":"曹雪芹"}]"#, as: "GB18030")
        let offset = try #require(bytes.firstIndex { $0 >= 0x80 })
        #expect(throws: SourceError.notUTF8(offset: offset)) { try Reading([bytes]) }
        #expect(throws: SourceError.notUTF8(offset: offset)) { try Reading(bytes.map { [$0] }) }
        #expect(throws: SourceError.notUTF8(offset: offset)) { try Reading([bytes], encoding: "utf-8") }
    }

    @Test("The place of a bad byte is exact deep in a document")
    func exactOffset() throws {
        var bytes = Array(("[" + String(repeating: #"{"title":"红楼梦 café"},"#, count: 40_000) + #"{"title":"x"}]"#).utf8)
        let offset = bytes.count - 6
        bytes[offset] = 0xE9
        #expect(throws: SourceError.notUTF8(offset: offset)) { try Reading([bytes]) }
    }

    @Test(
        "A document in a named encoding is read, whatever the borders of its pieces",
        arguments: ["GB18030", "gb18030", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-8"])
    func named(_ encoding: String) throws {
        let bytes = try encoded(document, as: encoding)
        for pieces in [[bytes], bytes.map { [$0] }] {
            #expect(try Reading(pieces, encoding: encoding).books.map(\.title) == ["红楼梦", "𠀀 café"])
        }
        for border in 0...bytes.count {
            let pieces = [Array(bytes[..<border]), Array(bytes[border...])]
            #expect(try Reading(pieces, encoding: encoding).books.map(\.title) == ["红楼梦", "𠀀 café"])
        }
    }

    @Test("GBK, Big5, Shift_JIS, KOI8-R and ISO-2022-JP are known")
    func others() throws {
        for (encoding, title) in [
            ("GBK", "红楼梦"), ("BIG5", "紅樓夢"), ("SHIFT_JIS", "吾輩は猫である"), ("KOI8-R", "Война и мир"),
            ("ISO-2022-JP", "吾輩は猫である"), ("WINDOWS-1252", "café – “x”"),
        ] {
            let bytes = try encoded(#"[{"title":"\#(title)"}]"#, as: encoding)
            #expect(try Reading([bytes], encoding: encoding).books.map(\.title) == [title])
            #expect(try Reading(bytes.map { [$0] }, encoding: encoding).books.map(\.title) == [title])
        }
    }

    @Test("A long document in a named encoding is read whole")
    func long() throws {
        let records = (0..<20_000).map { #"{"title":"红楼梦 \#($0)","author":"曹雪芹"}"# }
        let bytes = try encoded("[\(records.joined(separator: ","))]", as: "GB18030")
        let reading = try Reading([bytes], encoding: "GB18030")
        #expect(reading.books.count == 20_000)
        #expect(reading.books.last?.title == "红楼梦 19999")
    }

    @Test(
        "An encoding that isn't known is refused by its name",
        arguments: ["nonsense", "", "GBK//IGNORE", "GBK//TRANSLIT", "/", "UTF-8/"])
    func unknown(_ name: String) {
        #expect(throws: SourceError.unknownEncoding(name)) { try Reading([[]], encoding: name) }
    }

    @Test("Bytes that the named encoding can't have are refused with their place in the document")
    func illFormed() throws {
        var bytes = try encoded(#"[{"title":"红楼梦"},{"title":"x"}]"#, as: "GB18030")
        let offset = bytes.count - 4
        bytes[offset] = 0xFF
        let expected = SourceError.malformed(offset: offset, reason: "there is something that isn't GB18030")
        #expect(throws: expected) { try Reading([bytes], encoding: "GB18030") }
        #expect(throws: expected) { try Reading(bytes.map { [$0] }, encoding: "GB18030") }
    }

    @Test("A document that ends within a character of the named encoding is refused")
    func endsWithin() throws {
        let bytes = try encoded(#"[{"title":"红"#, as: "GB18030")
        let error = #expect(throws: SourceError.self) { try Reading([Array(bytes.dropLast())], encoding: "GB18030") }
        #expect(error?.reason.contains("middle of a character") == true)
    }

    @Test(
        "A document in UTF-16 or UTF-32 is refused with the name of its encoding, with a mark of byte order or without",
        arguments: [
            ("UTF-16", 0, "UTF-16"), ("UTF-16LE", 1, "UTF-16LE"), ("UTF-16BE", 0, "UTF-16BE"), ("UTF-32", 0, "UTF-32"),
            ("UTF-32LE", 1, "UTF-32LE"), ("UTF-32BE", 0, "UTF-32BE"),
        ])
    func guesses(_ encoding: String, _ offset: Int, _ guess: String) throws {
        let bytes = try encoded(document, as: encoding)
        for pieces in [[bytes], bytes.map { [$0] }, [Array(bytes.prefix(4))]] {
            #expect(throws: SourceError.notUTF8(offset: offset, encoding: guess)) { try Reading(pieces) }
        }
        // The advice works.
        #expect(try Reading([bytes], encoding: guess).books.count == 2)
    }

    /// `text` as iconv(3) writes it.
    private func encoded(_ text: String, as encoding: String) throws -> [UInt8] {
        guard let descriptor = unsafe iconv_open(encoding, "UTF-8"), Int(bitPattern: descriptor) != -1 else {
            throw SourceError.unknownEncoding(encoding)
        }
        defer { unsafe iconv_close(descriptor) }
        var input = Array(text.utf8)
        var left = input.count
        return try unsafe [UInt8](unsafeUninitializedCapacity: 4 * left + 64) { output, count in
            var target = unsafe UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var room = output.count
            let result = unsafe input.withUnsafeMutableBytes { bytes in
                var source = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe iconv(descriptor, &source, &left, &target, &room)
            }
            let end = unsafe iconv(descriptor, nil, nil, &target, &room)
            guard result >= 0, end >= 0 else { throw SourceError.unknownEncoding(encoding) }
            count = output.count - room
        }
    }
}

internal import CInih

/// The lines of an INI file that set something.
struct INIDocument {
    /// One `name = value`, with the name of its section before a dot.
    struct Entry: Equatable {
        let name: String
        let value: String

        /// Counted from 1.
        let line: Int
    }

    /// Why a text isn't an INI file.
    struct Malformation: Error {
        /// Counted from 1.
        let line: Int
        let reason: String
    }

    /// In the order of the file.
    private(set) var entries: [Entry] = []

    /// What the library's callbacks share.
    private struct Parse {
        let lines: [[UInt8]]
        var nextLine = 0
        var entries: [Entry] = []
    }

    /// - Parameter bytes: The whole file; a byte order mark is taken.
    /// - Throws: ``Malformation`` for the first line that isn't a comment, a section or `name = value`.
    init(_ bytes: [UInt8]) throws(Malformation) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        for (index, line) in lines.enumerated() {
            if line.count > BOOKSHELF_INI_MAXIMUM_LINE {
                throw Malformation(line: index + 1, reason: "longer than \(BOOKSHELF_INI_MAXIMUM_LINE) bytes")
            }
            if line.contains(0) || String(validating: line, as: UTF8.self) == nil {
                throw Malformation(line: index + 1, reason: "not text in UTF-8")
            }
        }

        var parse = Parse(lines: lines)
        let status = unsafe withUnsafeMutablePointer(to: &parse) { parse in
            unsafe bookshelf_ini_parse(INIDocument.nextLine, parse, INIDocument.takeEntry, parse)
        }
        guard status == 0 else {
            throw Malformation(line: max(1, Int(status)), reason: "expected “name = value”, a [section] or a # comment")
        }
        entries = parse.entries
    }

    /// Hands the library one line at a time, as fgets(3) would.
    private static let nextLine: ini_reader = { buffer, byteCount, stream in
        guard let buffer = unsafe buffer, let parse = unsafe stream?.assumingMemoryBound(to: Parse.self),
            unsafe parse.pointee.nextLine < parse.pointee.lines.count
        else { return nil }
        let line = unsafe parse.pointee.lines[parse.pointee.nextLine].prefix(Int(byteCount) - 1)
        for (index, byte) in line.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[line.count] = 0
        unsafe parse.pointee.nextLine += 1
        return unsafe buffer
    }

    /// Takes an entry of the line that was handed out last.
    private static let takeEntry: ini_handler = { user, section, name, value in
        guard let parse = unsafe user?.assumingMemoryBound(to: Parse.self), let section = unsafe section,
            let name = unsafe name, let value = unsafe value
        else { return 0 }
        let prefix = unsafe section.pointee == 0 ? "" : String(cString: section) + "."
        unsafe parse.pointee.entries.append(
            Entry(name: prefix + String(cString: name), value: String(cString: value), line: parse.pointee.nextLine))
        return 1
    }
}

import Foundation
import Log
import Testing

@Suite("Log file")
struct LogFileTests {
    @Test("The file is private, also where it was not before")
    func mode() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.log"
            let isMade = FileManager.default.createFile(
                atPath: path, contents: Data("old\n".utf8), attributes: [.posixPermissions: 0o644])
            #expect(isMade)
            let file = try LogFile(path: path)
            file.write(Array("new\n".utf8))
            #expect(try permissions(of: path) == 0o600)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old\nnew\n")

            _ = try LogFile(path: "\(directory)/b.log")
            #expect(try permissions(of: "\(directory)/b.log") == 0o600)
        }
    }

    @Test("A symbolic link and a directory that isn't there are refused with the reason")
    func refused() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/link", withDestinationPath: "\(directory)/x")
            #expect(throws: LogError(path: "\(directory)/link", errorNumber: ELOOP)) {
                try LogFile(path: "\(directory)/link")
            }
            #expect(throws: LogError(path: "\(directory)/no/a.log", errorNumber: ENOENT)) {
                try LogFile(path: "\(directory)/no/a.log")
            }
        }
    }

    @Test("A file that has grown large is put aside once, and the older one goes")
    func rotation() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.log"
            let file = try LogFile(path: path, maximumByteCount: 10)
            for line in ["one\n", "two\n", "three\n", "four\n", "five\n"] { file.write(Array(line.utf8)) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "four\nfive\n")
            #expect(try String(contentsOfFile: path + ".1", encoding: .utf8) == "three\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["a.log", "a.log.1"])
            #expect(try permissions(of: path) == 0o600)
        }
    }

    @Test("Of two that write the same file, each follows when the other puts it aside or somebody removes it")
    func followsMoves() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.log"
            let small = try LogFile(path: path, maximumByteCount: 8)
            let large = try LogFile(path: path)
            large.write(Array("111111\n".utf8))
            small.write(Array("222222\n".utf8))
            large.write(Array("333333\n".utf8))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "222222\n333333\n")

            try FileManager.default.removeItem(atPath: path)
            large.write(Array("444444\n".utf8))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "444444\n")
        }
    }

    @Test("Many that write and put aside at once never mix two lines nor leave a descriptor open")
    func concurrent() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.log"
            let writers = DispatchGroup()
            for number in 0..<4 {
                DispatchQueue.global().async(group: writers) {
                    guard let file = try? LogFile(path: path, maximumByteCount: 20_000) else { return }
                    let text = String(repeating: "\(number)", count: 90)
                    for line in 0..<500 { file.write(Array("\(number)-\(line)-\(text)\n".utf8)) }
                }
            }
            #expect(writers.wait(timeout: .now() + 30) == .success)

            let text =
                try String(contentsOfFile: path, encoding: .utf8) + String(contentsOfFile: path + ".1", encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines.count > 50)
            for line in lines {
                let parts = line.split(separator: "-")
                #expect(parts.count == 3 && parts[2] == String(repeating: String(parts[0]), count: 90))
            }
            let openNames = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(!openNames.contains { $0.hasPrefix(directory) })
        }
    }

    @Test("A pipe that nobody empties loses lines and never keeps the writer waiting")
    func fullPipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let sink = DescriptorSink(descriptor: ends[1])
        let line = [UInt8](repeating: 65, count: 1000)
        for _ in 0..<200 { sink.write(line) }

        // Reaching this line is the proof; the pipe's room is about 64 KiB.
        var readable: Int32 = 0
        #expect(unsafe ioctl(ends[0], UInt(FIONREAD), &readable) == 0)
        #expect(readable >= 1000 && readable < 200_000)
    }
}

private func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}

private func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
}

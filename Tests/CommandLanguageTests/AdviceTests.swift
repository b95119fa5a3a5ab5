import Arguments
import CommandLanguage
import Foundation
import Testing

@Suite("Advice in messages")
struct AdviceTests {
    /// What follows the program's name in a text without being a command.
    private static let others: Set = [
        // The words that the list of processes shows, and the first of a record in the cache.
        "driver", "content",
    ]

    @Test("Every command that a text of the sources tells to type is there, with its flags")
    func commands() throws {
        let program = Program.bookshelf(version: "1.0")
        let known = Set(program.commands.compactMap { $0.name.split(separator: " ").first.map(String.init) })
        let flags = Set((program.flags + program.commands.flatMap(\.flags)).flatMap(\.names))
        var count = 0
        for (place, text) in try texts() {
            for match in text.matches(of: #/bookshelf ([a-z]+)((?: [^ ;]+)*)/#) {
                let word = String(match.1)
                if Self.others.contains(word) { continue }
                count += 1
                #expect(known.contains(word), "\(place): \(text)")
                for flag in match.2.split(separator: " ").map(String.init) where flag.hasPrefix("--") {
                    #expect(flags.contains(flag), "\(place): \(text)")
                }
            }
        }
        #expect(count > 10)
    }

    /// What stands between quotes in the sources, with where.
    private func texts() throws -> [(place: String, text: String)] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = package.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var texts: [(place: String, text: String)] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                if line.drop(while: { $0 == " " }).hasPrefix("//") { continue }
                for (part, text) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                where part % 2 == 1 {
                    texts.append(("\(file.lastPathComponent):\(index + 1)", String(text)))
                }
            }
        }
        return texts
    }
}

import Foundation
import HTTP
import TestHarness
import Testing

@Suite("Transfers of files")
struct FileTransferTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "http-\(UUID().uuidString)")

    @Test("A file arrives with its size")
    func file() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let path = directory.appending(path: "a b%20#?ü.epub").path(percentEncoded: false)
        try Data(body).write(to: URL(filePath: path))
        let url = try #require(URLReference.fileURL(path: path))
        let result = Bench().get(url).final
        expectSame(result.body, body)
        #expect(result.head?.contentByteCount == 200_000)
        #expect(result.head?.status == 200)
        let head = Bench().get(url) { $0.method = .head }.final
        #expect(head.head?.contentByteCount == 200_000)
        #expect(head.body.isEmpty)
    }

    @Test(
        "What isn't there, or isn't a file, is missing",
        arguments: ["file:///nowhere/x.epub", "file:///tmp", "file:///dev/zero"])
    func missing(_ url: String) {
        guard case .fileMissing = Bench().get(url).failure else {
            Issue.record("another outcome")
            return
        }
    }
}

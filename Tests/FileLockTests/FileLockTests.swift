import FileLock
import Foundation
import Testing

@Suite("Locks of files")
struct FileLockTests {
    @Test("Who waits for a lock gets it when the other lets go of it, and not before")
    func waiting() throws {
        try withFile { path in
            var first: FileLock? = try FileLock(path, .exclusive, waitingAtMost: .zero)
            #expect(throws: FileLock.Failure.held) { _ = try FileLock(path, .shared, waitingAtMost: .milliseconds(20)) }
            #expect(FileLock.isFree(path) == false)
            // Whoever inherits it holds on to it.
            let descriptor = dup(first?.descriptor ?? -1)
            let heir = Thread {
                let copy = FileLock(inherited: descriptor)
                usleep(20_000)
                copy.holdUntilHere()
            }
            first = nil
            #expect(FileLock.isFree(path) == false)
            heir.start()
            #expect(throws: Never.self) { _ = try FileLock(path, .exclusive, waitingAtMost: .seconds(30)) }
            #expect(FileLock.isFree(path) == true)
        }
    }

    @Test("Several share a lock, and keep out who wants it alone")
    func sharing() throws {
        try withFile { path in
            let first = try FileLock(path, .shared, waitingAtMost: .zero)
            let second = try FileLock(path, .shared, waitingAtMost: .zero)
            #expect(throws: FileLock.Failure.held) { _ = try FileLock(path, .exclusive, waitingAtMost: .zero) }
            first.holdUntilHere()
            second.holdUntilHere()
        }
    }

    @Test("Nothing can be said of a lock without a file, and a link or a missing directory is no place for one")
    func unusable() throws {
        try withFile { path in
            #expect(FileLock.isFree(path) == nil)
            #expect(throws: FileLock.Failure.unusable(number: ENOENT)) {
                _ = try FileLock(path + "/lock", .exclusive, waitingAtMost: .seconds(30))
            }
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
            #expect(throws: FileLock.Failure.unusable(number: ELOOP)) {
                _ = try FileLock(path, .exclusive, waitingAtMost: .seconds(30))
            }
        }
    }

    @Test("A file keeps the words that it was made with until who has the lock writes others")
    func words() throws {
        try withFile { path in
            #expect(FileLock.words(at: path) == nil)
            FileLock.make(path, words: "the first words")
            FileLock.make(path, words: "others")
            #expect(FileLock.words(at: path) == "the first words")
            let lock = try FileLock(path, .exclusive, waitingAtMost: .zero)
            try lock.replaceWords(by: "new")
            #expect(FileLock.words(at: path) == "new")
        }
    }

    @Test("Who got the lock of a file that was removed and made anew finds that, and leaves the new one alone")
    func removed() throws {
        try withFile { path in
            let former = try FileLock(path, .exclusive, waitingAtMost: .zero)
            let isOfFile = former.isOf(path)
            #expect(isOfFile)
            former.remove(path)
            let isStillOfFile = former.isOf(path)
            #expect(!isStillOfFile)
            let lock = try FileLock(path, .exclusive, waitingAtMost: .zero)
            former.remove(path)
            let isOfNewFile = lock.isOf(path)
            #expect(isOfNewFile)
        }
    }

    private func withFile(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.appending(path: "lock").path)
    }
}

import Foundation
import SQLite
import Testing

@Suite("Connection")
struct ConnectionTests {
    @Test("A new database and the files beside it are for their owner alone; one that is there keeps its mode")
    func isPrivate() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(
                atPath: directory.appending(path: name).path(percentEncoded: false))[.posixPermissions] as? Int
        }
        for isNew in [true, false] {
            let path = directory.appending(path: "own.db").path(percentEncoded: false)
            let connection = try Connection(path, access: .create)
            try connection.execute(
                "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)")
            for name in ["own.db", "own.db-wal", "own.db-shm"] { #expect(try mode(name) == (isNew ? 0o600 : 0o640)) }
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        }
    }

    @Test("A database in memory makes no file")
    func inMemory() throws {
        let connection = try Connection(":memory:", access: .create)
        try connection.execute("CREATE TABLE t (a)")
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }
}

import SQLite
import Testing

@Suite("Statement")
struct StatementTests {
    @Test("What is bound comes back as it was", arguments: ["", "plain", "红楼梦", "nul\u{0}inside"])
    func roundTrip(_ text: String) throws {
        let connection = try Connection(":memory:", access: .create)
        var statement = try Statement("SELECT ?1, ?2, ?3, ?4, ?5", on: connection)
        try statement.forEachRow([.text(text), .integer(.min), .null, .blob([0, 255]), .real(1.5)]) {
            (row) throws(SQLiteError) in
            #expect(row.text(at: 0) == text)
            #expect(row.withText(at: 0) { $0.count } == text.utf8.count)
            let isNull = row.isNull(at: 0)
            #expect(!isNull)
            #expect(row.integer(at: 1) == .min)
            #expect(row.integerOrNull(at: 2) == nil)
            #expect(row.bytes(at: 3) == [0, 255])
            #expect(row.realOrNull(at: 4) == 1.5)
        }
    }

    @Test("A transaction that throws leaves nothing behind")
    func rollsBack() throws {
        struct Refusal: Error {}
        let connection = try Connection(":memory:", access: .create)
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: (any Error).self) {
            try connection.write(wrapping: { $0 as any Error }) {
                try connection.run("INSERT INTO t VALUES (?1)", .integer(1))
                throw Refusal()
            }
        }
        #expect(try connection.number("SELECT count(*) FROM t") == 0)
        try connection.write(wrapping: { $0 }) { () throws(SQLiteError) in
            try connection.run("INSERT INTO t VALUES (2)")
        }
        #expect(try connection.number("SELECT a FROM t") == 2)
    }

    @Test("An error says what kind it is and names no argument")
    func errors() throws {
        let connection = try Connection(":memory:", access: .create)
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        try connection.run("INSERT INTO t VALUES (?1)", .text("private"))
        do {
            try connection.run("INSERT INTO t VALUES (?1)", .text("private"))
            Issue.record("a second row of the same value went in")
        } catch {
            #expect(error.kind == .constraint)
            #expect(!error.description.contains("private"))
        }
    }

    @Test("A loop over rows ends where it is told to")
    func stops() throws {
        let connection = try Connection(":memory:", access: .create)
        var seen: [Int64] = []
        var statement = try Statement("VALUES (1), (2), (3)", on: connection)
        try statement.scan([]) { (row) throws(SQLiteError) -> Statement.Continuation in
            seen.append(row.integer(at: 0))
            return seen.count == 2 ? .stop : .next
        }
        #expect(seen == [1, 2])
    }
}

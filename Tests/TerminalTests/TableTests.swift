import Terminal
import Testing

@Suite("Table")
struct TableTests {
    private var table: Table {
        var table = Table([.init("ID", isRightAligned: true), .init("TITLE", isFlexible: true), .init("STATE")])
        table.add(["7", "红楼梦", "local"])
        table.add(["128", "The Life and Opinions of Tristram Shandy", "placeholder"])
        return table
    }

    @Test("Columns stand under each other, whatever the script, and no line ends in blanks")
    func aligned() {
        #expect(
            table.lines(fitting: nil) == [
                " ID  TITLE                                     STATE",
                "  7  红楼梦                                    local",
                "128  The Life and Opinions of Tristram Shandy  placeholder",
            ])
    }

    @Test("Where the terminal is narrow, the flexible column gives way")
    func narrow() {
        let lines = table.lines(fitting: 40)
        #expect(lines[2] == "128  The Life and Opinions…  placeholder")
        #expect(lines.allSatisfy { $0.columnCount <= 40 })
        #expect(table.lines(fitting: 1)[2] == "128  The Lif…  placeholder")
    }

    @Test("A title can't break out of its row")
    func hostile() {
        var table = Table([.init("TITLE")])
        table.add(["a\n\u{1B}[31mb"])
        #expect(table.lines(fitting: 80) == ["TITLE", "a �[31mb"])
    }
}

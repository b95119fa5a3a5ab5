import Foundation
import Terminal
import Testing

@Suite("Output")
struct OutputTests {
    @Test("Lines reach a pipe in order once they are flushed, and stay one line each")
    func pipe() throws {
        let ends = Pipe()
        let output = TextOutput(descriptor: ends.fileHandleForWriting.fileDescriptor)
        #expect(!output.isTerminal)
        #expect(output.columnCount == nil)
        try output.line("one\ntwo\u{1B}[2J")
        try output.write("three\n")
        try output.flush()
        try ends.fileHandleForWriting.close()
        #expect(
            String(decoding: ends.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "one two�[2J\nthree\n")
    }

    @Test("Fields stay as many, whatever they hold")
    func fields() throws {
        let ends = Pipe()
        let output = TextOutput(descriptor: ends.fileHandleForWriting.fileDescriptor)
        try output.line(fields: ["7", "a\tb\nc", "", "战争\u{1B}[0m"])
        try output.flush()
        try ends.fileHandleForWriting.close()
        let text = String(decoding: ends.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "7\ta b c\t\t战争�[0m\n")
    }

    @Test("A full disk is an error, not a success")
    func full() throws {
        let descriptor = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let output = TextOutput(descriptor: descriptor)
        try output.line("text")
        #expect(throws: OutputError(errorNumber: ENOSPC)) { try output.flush() }
        try output.flush()
    }

    @Test("Progress is a line for each thing done where nobody watches, and nothing when it is to be quiet")
    func progressLines() throws {
        let ends = Pipe()
        let output = TextOutput(descriptor: ends.fileHandleForWriting.fileDescriptor)
        for isQuiet in [false, true] {
            let display = ProgressDisplay("fetching", on: output, isQuiet: isQuiet)
            var state = ProgressState()
            state.totalCount = 2
            state.subject = "Oblomov\u{1B}"
            display.show(state)
            state.doneByteCount = 100
            display.show(state)
            state.doneCount = 1
            display.show(state)
            display.finish()
        }
        try ends.fileHandleForWriting.close()
        let text = String(decoding: ends.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "fetching 0 of 2: Oblomov�\nfetching 1 of 2: Oblomov�\n")
    }

    @Test("A bar shows the share, counts, bytes and the subject, and fits the terminal")
    func bar() {
        var state = ProgressState()
        #expect(ProgressDisplay.bar("syncing", state, width: 79) == "syncing 0")
        state.doneCount = 3
        state.totalCount = 10
        state.subject = "红楼梦\u{9B}"
        #expect(ProgressDisplay.bar("fetching", state, width: 79) == "fetching [######..............] 3/10  红楼梦�")
        state.doneByteCount = 5 << 20
        state.totalByteCount = 10 << 20
        #expect(
            ProgressDisplay.bar("fetching", state, width: 79)
                == "fetching [##########..........] 3/10  5.0 MiB of 10 MiB  红楼梦�")
        for width in 0..<80 { #expect(ProgressDisplay.bar("fetching", state, width: width).columnCount <= width) }
        state.doneByteCount = .max
        #expect(ProgressDisplay.bar("fetching", state, width: 79).contains("[####################]"))
    }

    @Test("On a terminal the bar is drawn over itself and taken away at the end")
    func terminal() throws {
        var main: Int32 = -1
        var side: Int32 = -1
        try #require(unsafe openpty(&main, &side, nil, nil, nil) == 0)
        defer {
            close(main)
            close(side)
        }
        var size = winsize(ws_row: 24, ws_col: 50, ws_xpixel: 0, ws_ypixel: 0)
        try #require(unsafe ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
        let output = TextOutput(descriptor: side)
        #expect(output.isTerminal)
        #expect(output.columnCount == 50)

        let display = ProgressDisplay("fetching", on: output, isQuiet: false)
        var state = ProgressState()
        state.totalCount = 2
        display.show(state)
        display.finish()
        let expected = "\r\u{1B}[Kfetching [....................] 0/2\r\u{1B}[K"
        #expect(shown(on: main, byteCount: expected.utf8.count) == expected)
    }

    /// What a terminal was given.
    ///
    /// A terminal hands on what was written to it in pieces and a moment later, so this reads until `byteCount` bytes are
    /// there, or until ten seconds have passed without one.
    private func shown(on descriptor: Int32, byteCount: Int) -> String {
        var bytes: [UInt8] = []
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while bytes.count < byteCount, unsafe poll(&poller, 1, 10_000) == 1 {
            var piece = [UInt8](repeating: 0, count: 1000)
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

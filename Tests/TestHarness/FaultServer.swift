import Glibc
import Threads

/// An HTTP/1.1 server on a port of its own of 127.0.0.1 that answers what a test tells it to, faults included.
///
/// A thread for each connection, all of which end with ``stop()`` or with the server.
package final class FaultServer: Sendable {
    private struct State {
        var contents: [String: [ServedContent]] = [:]
        var requests: [ServedRequest] = []
        var released: Set<String> = []
        var connections: Set<CInt> = []
        var isStopping = false
        var threadCount = 0
        var connectionCount = 0
    }

    private let state = Monitor(State())
    private let listener: CInt
    package let port: UInt16

    package init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, byteCount) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, address, &byteCount) == 0
            }
        }
        self.listener = listener
        guard listener >= 0, code else { throw FaultServerError(number: errno) }
        port = UInt16(bigEndian: address.sin_port)
        state.update { $0.threadCount += 1 }
        _ = WorkerThread(name: "fault-accept") { [state, listener] in
            Self.accept(listener, state)
            state.update { $0.threadCount -= 1 }
        }
    }

    deinit {
        stop()
        close(listener)
    }

    /// The URL of a path, by the name of this machine given.
    package func url(_ path: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    /// Answers requests for `path` with the contents in turn, and with the last from then on.
    package func serve(_ path: String, _ contents: ServedContent...) {
        state.update { state in
            state.contents[path] = contents
            state.released.remove(path)
        }
    }

    /// Lets go on what is held or stalled at `path`, now and later.
    package func release(_ path: String) {
        _ = state.update { $0.released.insert(path) }
    }

    /// The requests so far, in the order of their arrival.
    package var requests: [ServedRequest] { state.update { $0.requests } }

    /// The requests so far for `path`.
    package func requests(for path: String) -> [ServedRequest] {
        requests.filter { $0.path == path }
    }

    /// Waits until so many requests for `path` have come.
    ///
    /// - Returns: Whether they came within ten seconds.
    package func waitForRequests(_ count: Int, for path: String) -> Bool {
        state.wait(atMost: .seconds(60)) { state in
            state.requests.count { $0.path == path } >= count ? true : nil
        } ?? false
    }

    /// Ends all connections and threads.
    package func stop() {
        let connections = state.update { state in
            state.isStopping = true
            return state.connections
        }
        shutdown(listener, CInt(SHUT_RDWR))
        for connection in connections { shutdown(connection, CInt(SHUT_RDWR)) }
        _ = state.wait(atMost: .seconds(60)) { $0.threadCount == 0 ? true : nil }
    }

    // MARK: - Connections

    private static func accept(_ listener: CInt, _ state: Monitor<State>) {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            if connection < 0 {
                guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return }
                continue
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            // Head and body go out apart: without this the body waits for an acknowledgement that is slow to come.
            var isOn: CInt = 1
            unsafe setsockopt(connection, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
            let isTaken = state.update { state in
                guard !state.isStopping else { return false }
                state.connections.insert(connection)
                state.threadCount += 1
                return true
            }
            guard isTaken else {
                close(connection)
                return
            }
            _ = WorkerThread(name: "fault-serve") {
                serve(connection, state)
                _ = state.update { $0.connections.remove(connection) }
                close(connection)
                state.update { $0.threadCount -= 1 }
            }
        }
    }

    private static func serve(_ connection: CInt, _ state: Monitor<State>) {
        var received: [UInt8] = []
        let number = state.update { state in
            state.connectionCount += 1
            return state.connectionCount
        }
        while var request = readRequest(connection, &received) {
            request.connection = number
            let content = state.update { [request] state -> ServedContent in
                state.requests.append(request)
                guard let contents = state.contents[request.path], let content = contents.first else {
                    return .status(404)
                }
                if contents.count > 1 { state.contents[request.path]?.removeFirst() }
                return content
            }
            guard answer(request, with: content, on: connection, state) else { return }
        }
    }

    private static func readRequest(_ connection: CInt, _ received: inout [UInt8]) -> ServedRequest? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = received.firstRange(of: end) {
                let text = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                guard var request = ServedRequest(text) else { return nil }
                let byteCount = request.fields["content-length"].flatMap { Int($0) } ?? 0
                guard received.count >= range.upperBound + byteCount || receive(connection, &received) else {
                    return nil
                }
                guard received.count >= range.upperBound + byteCount else { continue }
                let body = received[range.upperBound..<range.upperBound + byteCount]
                request.body = String(decoding: body, as: UTF8.self)
                received.removeSubrange(..<(range.upperBound + byteCount))
                return request
            }
            guard receive(connection, &received) else { return nil }
        }
    }

    /// - Returns: Whether something came.
    private static func receive(_ connection: CInt, _ received: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe recv(connection, &buffer, buffer.count, 0)
        guard count > 0, received.count < 1 << 20 else { return false }
        received += buffer[..<count]
        return true
    }

    // MARK: - Answers

    /// Answers a request.
    ///
    /// - Returns: Whether the connection can take another.
    private static func answer(
        _ request: ServedRequest, with content: ServedContent, on connection: CInt, _ state: Monitor<State>
    ) -> Bool {
        if let raw = content.rawAnswer {
            _ = send(raw, on: connection)
            return false
        }
        if content.isHeld, !wait(for: request.path, state) { return false }
        if request.method == "HEAD", !content.takesHead {
            return send("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n", on: connection)
        }
        if let etag = content.etag, request.fields["if-none-match"] == etag {
            return send("HTTP/1.1 304 Not Modified\r\nETag: \(etag)\r\n\r\n", on: connection)
        }
        var status = content.status
        var body = content.body[...]
        var head = ""
        if status == 200, content.hasRanges, let (start, end) = request.range(of: body.count),
            content.ignoresIfRange || (request.fields["if-range"].map { $0 == content.etag } ?? true)
        {
            status = 206
            head += "Content-Range: \(content.contentRange ?? "bytes \(start)-\(end - 1)/\(body.count)")\r\n"
            body = body[start..<end]
        }
        head +=
            content.isChunked
            ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(content.claimedByteCount ?? body.count)\r\n"
        head += "Content-Type: \(content.mediaType)\r\n"
        if let etag = content.etag { head += "ETag: \(etag)\r\n" }
        if let date = content.lastModified { head += "Last-Modified: \(date)\r\n" }
        for field in content.fields { head += "\(field.name): \(field.value)\r\n" }
        guard send("HTTP/1.1 \(status) Status\r\n\(head)\r\n", on: connection) else { return false }
        guard request.method != "HEAD" else { return true }
        guard send(body: body, of: content, for: request.path, on: connection, state) else { return false }
        return content.claimedByteCount == nil || content.claimedByteCount == body.count
    }

    private static func send(
        body: ArraySlice<UInt8>, of content: ServedContent, for path: String, on connection: CInt,
        _ state: Monitor<State>
    ) -> Bool {
        let firstEnd = content.stallsAfter ?? content.resetsAfter ?? content.closesAfter
        let first = body.prefix(firstEnd ?? body.count)
        guard send(piece: first, isChunk: content.isChunked, on: connection) else { return false }
        if content.resetsAfter != nil {
            // A linger of zero makes close(2) send a reset.
            var value = linger(l_onoff: 1, l_linger: 0)
            // It also throws away what hasn't left yet; what has arrived can still be read behind it. Nothing tells of an
            // acknowledgement, so the kernel is asked for how much it waits for one.
            _ = eventually { unacknowledgedByteCount(of: connection) == 0 }
            unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
            return false
        }
        if content.closesAfter != nil { return false }
        if content.stallsAfter != nil {
            guard wait(for: path, state),
                send(piece: body.dropFirst(first.count), isChunk: content.isChunked, on: connection)
            else { return false }
        }
        return !content.isChunked || send("0\r\n\r\n", on: connection)
    }

    /// What was sent and hasn't arrived as far as is known: SIOCOUTQ of tcp(7), by its other name.
    private static func unacknowledgedByteCount(of connection: CInt) -> CInt {
        var byteCount: CInt = 0
        return unsafe ioctl(connection, UInt(TIOCOUTQ), &byteCount) == 0 ? byteCount : 0
    }

    private static func wait(for path: String, _ state: Monitor<State>) -> Bool {
        let isReleased = state.wait(atMost: .seconds(60)) { state -> Bool? in
            if state.isStopping { return false }
            return state.released.contains(path) ? true : nil
        }
        return isReleased ?? false
    }

    private static func send(piece: ArraySlice<UInt8>, isChunk: Bool, on connection: CInt) -> Bool {
        guard isChunk else { return send(Array(piece), on: connection) }
        guard !piece.isEmpty else { return true }
        return send("\(String(piece.count, radix: 16))\r\n", on: connection) && send(Array(piece), on: connection)
            && send("\r\n", on: connection)
    }

    private static func send(_ text: String, on connection: CInt) -> Bool {
        send(Array(text.utf8), on: connection)
    }

    private static func send(_ bytes: [UInt8], on connection: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    connection, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Why a server could not be started.
package struct FaultServerError: Error {
    /// Of errno(3).
    package let number: CInt
}

extension ServedRequest {
    /// - Returns: `nil` if it isn't a request.
    fileprivate init?(_ text: String) {
        let lines = text.split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        method = String(words[0])
        path = String(words[1])
        self.fields = fields
    }

    /// The part that is asked for of a body, if it has one.
    fileprivate func range(of byteCount: Int) -> (start: Int, end: Int)? {
        guard let range = fields["range"], range.hasPrefix("bytes=") else { return nil }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2, let start = ends[0], start < byteCount else { return nil }
        return (start, min(byteCount, (ends[1] ?? byteCount - 1) + 1))
    }
}

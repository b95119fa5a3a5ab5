internal import Glibc
internal import Log

/// A page of this machine, for a browser of the same user, by which a login begins and to which it comes back.
///
/// Its address, which stands in the browser's arguments, has no secret in it: where the login goes is told to nobody but
/// programs of this user. RFC 8252, section 7.3.
package final class LoopbackPage {
    static var callbackPath: String { "/callback" }

    private let listener: CInt
    package let port: UInt16

    /// What the browser is opened at.
    package var address: String { "http://127.0.0.1:\(port)/" }

    private static var maximumConnectionCount: Int { 32 }
    private static var maximumByteCount: Int { 16 << 10 }

    /// - Throws: ``AccountError/storage(reason:)`` if no port can be had.
    package init() throws(AccountError) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, byteCount) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &byteCount) == 0
            }
        }
        guard listener >= 0, isListening else {
            let number = errno
            if listener >= 0 { close(listener) }
            throw .storage(
                reason: "no port of this machine can be had for the browser to come back to (error \(number))")
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(listener)
    }

    /// A browser that is connected, and what it has sent.
    private struct Visitor {
        let descriptor: CInt
        var received: [UInt8] = []
    }

    /// Serves the page until the browser has come back.
    ///
    /// - Parameters:
    ///   - target: Where the browser is sent.
    ///   - limit: How long at most.
    ///   - isCancelled: Asked several times a second.
    ///   - take: Looks at the query that somebody came back with; `nil` if it isn't the answer.
    /// - Returns: What `take` found.
    /// - Throws: ``AccountError``, also what `take` throws.
    func serve(
        _ target: Secret, atMost limit: Duration, isCancelled: () -> Bool,
        _ take: (String) throws(AccountError) -> Secret?
    ) throws(AccountError) -> Secret {
        var visitors: [Visitor] = []
        defer { for visitor in visitors { close(visitor.descriptor) } }
        let clock = ContinuousClock()
        let end = clock.now + limit
        while clock.now < end {
            guard !isCancelled() else { throw .abandoned(reason: "the login was given up") }
            var polled = ([listener] + visitors.map(\.descriptor)).map { descriptor in
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            }
            guard unsafe poll(&polled, nfds_t(polled.count), 200) > 0 else { continue }
            for index in polled.indices.dropFirst().reversed() where polled[index].revents != 0 {
                guard let request = receive(&visitors[index - 1]) else { continue }
                let visitor = visitors.remove(at: index - 1)
                defer { close(visitor.descriptor) }
                guard let request else { continue }
                if let code = try answer(request, on: visitor.descriptor, target, take) { return code }
            }
            if polled[0].revents != 0, let visitor = accept() {
                // Browsers connect in advance; who does it without end is no browser.
                if visitors.count >= Self.maximumConnectionCount { close(visitors.removeFirst().descriptor) }
                visitors.append(visitor)
            }
        }
        throw .abandoned(reason: "nobody logged in in time")
    }

    private func accept() -> Visitor? {
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.accept(listener, address, &byteCount)
            }
        }
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let theirs = UInt16(bigEndian: address.sin_port)
        guard LoopbackPeer.user(ofPort: theirs, connectedTo: port) == geteuid() else {
            close(descriptor)
            return nil
        }
        return Visitor(descriptor: descriptor)
    }

    /// Takes what a visitor sends.
    ///
    /// - Returns: The head of the request once it is there; an inner `nil` when the visitor has gone or sends too much.
    private func receive(_ visitor: inout Visitor) -> String?? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(visitor.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        guard count > 0 else { return .some(nil) }
        visitor.received += buffer[..<count]
        let head = String(decoding: visitor.received, as: UTF8.self)
        // A GET has nothing behind its head.
        if head.utf8.suffix(4).elementsEqual("\r\n\r\n".utf8) { return head }
        return visitor.received.count < Self.maximumByteCount ? nil : .some(nil)
    }

    // MARK: - Answers

    private func answer(
        _ request: String, on descriptor: CInt, _ target: Secret, _ take: (String) throws(AccountError) -> Secret?
    ) throws(AccountError) -> Secret? {
        let lines = request.split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        // Another name for this machine would be one that a web page made up.
        let isForThis = lines.contains { $0.lowercased() == "host: 127.0.0.1:\(port)" }
        guard words.count == 3, words[0] == "GET", isForThis else {
            send("400 Bad Request", page: "This isn't what was expected.", on: descriptor)
            return nil
        }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if parts[0] == "/" {
            send("302 Found", fields: "Location: \(target.exposed)\r\n", page: "To the login.", on: descriptor)
            return nil
        }
        guard String(parts[0]) == Self.callbackPath, parts.count == 2 else {
            send("404 Not Found", page: "Nothing is here.", on: descriptor)
            return nil
        }
        do throws(AccountError) {
            guard let code = try take(String(parts[1])) else {
                send("400 Bad Request", page: "This isn't the answer to the login that waits here.", on: descriptor)
                return nil
            }
            send("200 OK", page: "You can close this window: the command goes on.", on: descriptor)
            return code
        } catch {
            send("200 OK", page: "The login did not come about; the command says why.", on: descriptor)
            throw error
        }
    }

    private func send(_ status: String, fields: String = "", page: String, on descriptor: CInt) {
        let body = "<!doctype html><meta charset=\"utf-8\"><title>bookshelf</title><p>\(page)</p>\n"
        let text =
            "HTTP/1.1 \(status)\r\n\(fields)Content-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n"
            + body
        let bytes = Array(text.utf8)
        // As little fits into the buffer of a new connection, so that this never waits.
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
}

/// Who is at the other end of a connection within this machine.
enum LoopbackPeer {
    /// The user of the socket that is connected from one port of 127.0.0.1 to another.
    ///
    /// - Returns: `nil` if there is none.
    ///
    /// See proc_pid_net(5), `tcp`.
    static func user(ofPort theirs: UInt16, connectedTo ours: UInt16) -> uid_t? {
        let descriptor = unsafe open("/proc/self/net/tcp", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0, text.count < 16 << 20 else { break }
            text += buffer[..<count]
        }
        let local = "0100007F:" + hexadecimal(theirs)
        let remote = "0100007F:" + hexadecimal(ours)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            // sl local_address rem_address st tx:rx tr:tm retrnsmt uid
            if words.count > 7, words[1] == local, words[2] == remote { return uid_t(words[7]) }
        }
        return nil
    }

    private static func hexadecimal(_ port: UInt16) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

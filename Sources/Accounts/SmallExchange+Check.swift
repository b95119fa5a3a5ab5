internal import HTTP

extension SmallExchange {
    /// Finds out whether a server takes a user name and password.
    ///
    /// - Parameters:
    ///   - account: With a password.
    ///   - url: Of what needs them.
    /// - Throws: ``AccountError/refused(reason:)`` if it doesn't, or another ``AccountError``.
    package func check(_ account: Account, at url: String) throws(AccountError) {
        let answer: Answer
        do throws(HTTPError) {
            answer = try ask(url) { $0.credentials = account.credentials }
        } catch {
            throw AccountError(error)
        }
        if answer.status == 401 || answer.status == 403 {
            throw .refused(reason: "\(URLReference.place(url)) doesn't take that user name and password")
        }
        guard (200...299).contains(answer.status) else {
            throw .malformed(reason: "\(URLReference.place(url)) answered with status \(answer.status)")
        }
    }
}

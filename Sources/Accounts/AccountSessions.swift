internal import FileLock
package import HTTP
package import Log
internal import Synchronization
internal import Threads

/// Whom to be towards each source, with tokens that are renewed in time: once, however many requests wait for it.
///
/// A token is renewed thirty seconds before it ends, or when a server refuses it. What can't be renewed needs a person: the
/// account says so from then on, and requests of its source fail without being sent. A login by another process is noticed
/// with the next request.
///
/// Lock order: `state` is a leaf; the account store, the network and completions are called without it.
/// Invariant: a session with waiters has a thread at work, which answers all of them; no other session has one.
package final class AccountSessions: TransferAuthority {
    private struct Waiter {
        let url: String
        let trust: SourceTrust
        let refused: Credentials?
        let completion: @Sendable (Result<Authorisation, HTTPError>) -> Void
    }

    private struct Session {
        /// Whether what is below is what the file said.
        var isCurrent = false

        /// Of the file, and what it said, when it was looked at.
        var stamp: SecretFile.Stamp?
        var outline: Account?

        /// With what was renewed since, and the secrets of the keyring where they are known.
        var account: Account?
        var hasSecrets = false
        var waiters: [Waiter] = []

        /// Why the last renewal failed, for a moment: who comes at once needn't try the same.
        var failure: (error: HTTPError, until: ContinuousClock.Instant)?

        /// Until when a token is used up to its very end, as it can't be renewed just now.
        var lenientUntil: ContinuousClock.Instant?
        var permissionsAskedAt: ContinuousClock.Instant?
    }

    private let store: AccountStore
    private let loop: TransferLoop
    private let permissionFiles: PermissionFiles
    private let trust: @Sendable (String) -> SourceTrust
    private let now: @Sendable () -> Int64
    private let log: Log?
    private let state = Mutex<[String: Session]>([:])

    private static var failureMemory: Duration { .seconds(5) }
    private static var permissionPause: Duration { .seconds(10) }

    /// - Parameters:
    ///   - store: Has the accounts.
    ///   - loop: Makes the requests that renew them.
    ///   - permissions: Where what a store says of permissions is kept.
    ///   - trust: What is known of a source by its name; called from any thread, and mustn't wait.
    ///   - now: Seconds since 1970.
    ///   - log: Told what becomes of logins.
    package init(
        _ store: AccountStore, loop: TransferLoop, permissions: PermissionFiles,
        trust: @escaping @Sendable (String) -> SourceTrust, now: @escaping @Sendable () -> Int64, log: Log? = nil
    ) {
        self.store = store
        self.loop = loop
        permissionFiles = permissions
        self.trust = trust
        self.now = now
        self.log = log
    }

    // MARK: - Requests

    package func authorise(
        _ url: String, of group: String, refused: Authorisation?,
        _ completion: @escaping @Sendable (Result<Authorisation, HTTPError>) -> Void
    ) {
        let waiter = Waiter(
            url: url, trust: trust(group), refused: refused?.credentials, completion: completion)
        let stamp = store.stamp
        let (answer, isFirst) = state.withLock { sessions -> (Result<Authorisation, HTTPError>?, Bool) in
            var session = sessions[group] ?? Session()
            if session.stamp != stamp || !session.isCurrent { look(at: group, stamp, &session) }
            defer { sessions[group] = session }
            if session.waiters.isEmpty, let answer = self.answer(to: waiter, session) { return (answer, false) }
            session.waiters.append(waiter)
            return (nil, session.waiters.count == 1)
        }
        if let answer { return completion(answer) }
        guard isFirst else { return }
        _ = WorkerThread(name: "login") { self.serveWaiters(of: group) }
    }

    /// Reads the outline, which is in a small file.
    ///
    /// What that has to say of another source changes nothing here.
    private func look(at source: String, _ stamp: SecretFile.Stamp?, _ session: inout Session) {
        session.stamp = stamp
        let outline = store.outline(of: source)
        guard outline != session.outline || !session.isCurrent else { return }
        session.isCurrent = true
        session.outline = outline
        session.account = outline
        session.hasSecrets = outline?.isInKeyring != true
        session.failure = nil
        session.lenientUntil = nil
    }

    /// What can be said without waiting.
    ///
    /// - Parameters:
    ///   - waiter: Who asks.
    ///   - session: Of the source.
    ///   - isFinal: Whether it was found out: then the token that there is has to do.
    /// - Returns: `nil` if a thread has to find it out.
    private func answer(
        to waiter: Waiter, _ session: Session, isFinal: Bool = false
    ) -> Result<Authorisation, HTTPError>? {
        let origin = URLReference.origin(waiter.url)
        var authorisation = Authorisation()
        if origin == waiter.trust.origin { authorisation.pinnedPublicKeys = waiter.trust.pinnedPublicKeys }
        guard let account = session.account, account.origin == origin else { return .success(authorisation) }
        if let reason = account.loginNeeded {
            // Logged out: the server may have something for everybody.
            return account.server == nil ? .success(authorisation) : .failure(.loginNeeded(reason: reason))
        }
        let clock = ContinuousClock().now
        if let failure = session.failure, clock < failure.until { return .failure(failure.error) }
        guard session.hasSecrets || isFinal else { return nil }
        if account.tokens != nil, !isFinal {
            let isLenient = session.lenientUntil.map { clock < $0 } ?? false
            guard isUsable(account, isLenient: isLenient), account.credentials != waiter.refused else { return nil }
        }
        authorisation.credentials = account.credentials
        authorisation.fields = account.deviceFields
        return .success(authorisation)
    }

    /// Whether its token holds for now.
    private func isUsable(_ account: Account, isLenient: Bool) -> Bool {
        guard let tokens = account.tokens else { return false }
        guard let expiresAt = tokens.expiresAt else { return true }
        return now() < expiresAt - (isLenient ? 0 : tokens.margin)
    }

    // MARK: - Renewal

    /// What a renewal came to.
    private struct Renewal {
        let account: Account?

        /// Whether the account has the old token still, as another one couldn't be had just now.
        var isPostponed = false
    }

    /// Finds out what the waiters of a source wait for, until nobody waits.
    private func serveWaiters(of source: String) {
        while true {
            let batch = state.withLock { sessions in sessions[source]?.waiters ?? [] }
            let outcome = Result { () throws(AccountError) in try renewed(source, refused: batch.compactMap(\.refused))
            }
            let outline = store.outline(of: source)
            let (ready, isDone) = state.withLock { sessions in
                var session = sessions[source] ?? Session()
                defer { sessions[source] = session }
                let clock = ContinuousClock().now
                switch outcome {
                case .success(let renewal):
                    // A login or logout in between is noticed with the next request.
                    session.isCurrent = outline?.generation == renewal.account?.generation
                    session.outline = outline
                    session.account = renewal.account
                    session.hasSecrets = true
                    session.failure = nil
                    session.lenientUntil = renewal.isPostponed ? clock + Self.failureMemory : nil
                case .failure(let error):
                    session.failure = (HTTPError(error), clock + Self.failureMemory)
                }
                var ready: [(Waiter, Result<Authorisation, HTTPError>)] = []
                var left: [Waiter] = []
                for (index, waiter) in session.waiters.enumerated() {
                    // Who came meanwhile may know that what was just found is no longer good.
                    if let answer = self.answer(to: waiter, session, isFinal: index < batch.count) {
                        ready.append((waiter, answer))
                    } else {
                        left.append(waiter)
                    }
                }
                session.waiters = left
                return (ready, left.isEmpty)
            }
            for (waiter, answer) in ready { waiter.completion(answer) }
            if isDone { return }
        }
    }

    /// The account of a source with a token that holds.
    ///
    /// - Parameters:
    ///   - source: Its name.
    ///   - refused: What servers have refused.
    /// - Returns: What there is to be had.
    /// - Throws: ``AccountError`` if that can't be said now.
    private func renewed(_ source: String, refused: [Credentials]) throws(AccountError) -> Renewal {
        let account = try store.account(of: source)
        guard let account, needsRenewal(account, refused) else { return Renewal(account: account) }
        let lock = try store.lockForRenewal(of: source)
        defer { lock.holdUntilHere() }
        // Another process may have renewed it while this one waited.
        let current = try store.account(of: source)
        guard let account = current, needsRenewal(account, refused), let tokens = account.tokens else {
            return Renewal(account: current)
        }
        guard let server = account.server, let refresh = tokens.refresh else {
            return Renewal(account: try give(up: account, source, "the token has run out"))
        }
        let client = TokenClient(server, exchange(for: source, account), now: now)
        do throws(TokenClient.Refusal) {
            var account = account
            account.tokens = try client.refresh(refresh)
            log?.debug("a token was renewed", ["source": .public(source)])
            return Renewal(account: kept(account, source))
        } catch {
            switch error {
            case .refused(let code):
                return Renewal(account: try give(up: account, source, client.explanation(of: code)))
            case .failed(let error):
                log?.warning(
                    "a token could not be renewed", ["source": .public(source), "reason": .public(error.reason)],
                    limitedBy: "renewal-\(source)")
                let isRefused = refused.contains { $0 == account.credentials }
                guard !isRefused, isUsable(account, isLenient: true) else { throw error }
                return Renewal(account: account, isPostponed: true)
            }
        }
    }

    private func needsRenewal(_ account: Account, _ refused: [Credentials]) -> Bool {
        guard account.loginNeeded == nil, account.tokens != nil else { return false }
        return !isUsable(account, isLenient: false) || refused.contains { $0 == account.credentials }
    }

    private func exchange(for source: String, _ account: Account) -> SmallExchange {
        let trust = self.trust(source)
        return SmallExchange(
            loop, for: source, allowsPlainHTTP: account.server?.allowsPlainHTTP ?? false, pinnedOrigin: trust.origin,
            pinnedPublicKeys: trust.pinnedPublicKeys)
    }

    /// Keeps what was renewed; what can't be kept is used all the same.
    private func kept(_ account: Account, _ source: String) -> Account {
        do throws(AccountError) {
            return try store.keep(account, of: source)
        } catch {
            log?.error(
                "a renewed token could not be kept, so that a login will be needed",
                ["source": .public(source), "reason": .public(error.reason)])
            return account
        }
    }

    /// Says that a person has to log in.
    private func give(up account: Account, _ source: String, _ reason: String) throws(AccountError) -> Account? {
        let words = "\(reason); log in with: bookshelf login \(source)"
        log?.warning("a login is needed", ["source": .public(source), "reason": .public(reason)])
        try store.setLoginNeeded(words, of: source, ifStill: account.generation)
        return store.outline(of: source)
    }

    /// Takes note that a source gave what it was asked for: one that nobody is logged in to needs no login then.
    package func noteAnswered(_ source: String) {
        guard let account = store.outline(of: source), account.loginNeeded != nil, account.server == nil else { return }
        try? store.setLoginNeeded(nil, of: source, ifStill: account.generation)
    }

    // MARK: - Permissions

    package func noteForbidden(_ url: String, of group: String) {
        let isDue = state.withLock { sessions -> Bool in
            guard let account = sessions[group]?.account, account.store.permissions != nil,
                account.origin == URLReference.origin(url)
            else { return false }
            let clock = ContinuousClock().now
            if let last = sessions[group]?.permissionsAskedAt, clock < last + Self.permissionPause { return false }
            sessions[group]?.permissionsAskedAt = clock
            return true
        }
        guard isDue else { return }
        _ = WorkerThread(name: "permissions") { _ = try? self.loadPermissions(of: group) }
    }

    /// Asks the store of a source anew what the person may do, on the calling thread.
    ///
    /// - Returns: `nil` where nobody is logged in, or the store doesn't say.
    /// - Throws: ``AccountError``.
    @discardableResult
    package func loadPermissions(of source: String) throws(AccountError) -> Permissions? {
        guard let outline = store.outline(of: source), outline.store.permissions != nil else { return nil }
        let answer = Monitor<Result<Authorisation, HTTPError>?>(nil)
        authorise(outline.origin + "/", of: source, refused: nil) { result in answer.update { $0 = result } }
        switch answer.wait(atMost: .seconds(120), for: { $0 }) {
        case .failure(let error): throw AccountError(error)
        case nil: throw .unreachable(reason: "the login of “\(source)” takes too long")
        case .success: break
        }
        guard let account = try store.account(of: source) else { return nil }
        guard let loaded = try StoreClient(exchange(for: source, account)).permissions(of: account, now: now()) else {
            return nil
        }
        permissionFiles.keep(loaded, of: source)
        return loaded
    }

    /// What the person may do at a source, asked anew if it was asked for more than five minutes ago and can be asked.
    ///
    /// - Returns: `nil` where the store doesn't say, so that nothing is known to be forbidden.
    package func permissions(of source: String) -> Permissions? {
        let known = permissionFiles.permissions(of: source)
        if let known, known.isFresh(at: now()) { return known }
        return (try? loadPermissions(of: source)) ?? known
    }
}

extension HTTPError {
    /// What it means to a request that nobody can say who asks.
    fileprivate init(_ error: AccountError) {
        switch error {
        case .unreachable(let reason): self = .unreachable(reason: reason)
        case .busy(let reason): self = .brokenOff(reason: reason)
        case .malformed(let reason): self = .protocolBroken(reason: reason)
        case .storage(let reason), .keyring(let reason), .refused(let reason), .abandoned(let reason):
            self = .loginNeeded(reason: reason)
        }
    }
}

internal import Accounts
internal import Catalog
internal import CommandLanguage
internal import HTTP
internal import JSON
internal import Log
internal import Settings
internal import Shelf

/// `bookshelf login SOURCE`.
enum LoginCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let source = try profile.namedSource()
        guard let origin = source.trust.origin else {
            throw .failed("“\(source.name)” needs no login: its catalog is on this machine")
        }
        let loop = TransferLoop(CurlLibrary())
        defer { loop.shutDown() }
        let login = Login(profile, source, origin: origin, loop)
        let account: Account
        do throws(AccountError) {
            account = try login.run()
        } catch {
            throw .failed("\(source.name): \(error.reason)")
        }
        SyncJournal(directory: profile.paths.stateDirectory).forgetDenial(by: source.name)
        if context.isJSON {
            return try context.print(["source": .string(source.name), "account": JSONValue(account.user)])
        }
        let place = account.isInKeyring ? "in the keyring" : "in \(profile.paths.secrets), which only you can read"
        let name = account.user.map { " as \($0)" } ?? ""
        context.confirm("\(source.name): logged in\(name); what it takes to stay so is kept \(place)")
    }
}

/// One login, from finding out how it is done to keeping what it brought.
private struct Login {
    private let profile: ProfileState
    private let source: Source
    private let origin: String
    private let exchange: SmallExchange
    private let questions: LoginQuestions

    /// How long a person may take in the browser.
    private static var patience: Duration { .seconds(900) }

    init(_ profile: ProfileState, _ source: Source, origin: String, _ loop: TransferLoop) {
        self.profile = profile
        self.source = source
        self.origin = origin
        exchange = SmallExchange(
            loop, for: source.name, allowsPlainHTTP: source.allowsPlainHTTP, pinnedOrigin: origin,
            pinnedPublicKeys: source.trust.pinnedPublicKeys)
        questions = LoginQuestions(context: profile.context, source: source)
    }

    func run() throws(AccountError) -> Account {
        let ways = try LoginWays(of: source.location, by: exchange, allowsPlainHTTP: source.allowsPlainHTTP)
        var account = Account(origin: origin)
        account.store = ways.store
        try authenticate(&account, by: ways)
        do throws(AccountError) {
            try introduce(&account)
        } catch {
            // Nobody is logged in by halves.
            if let server = account.server, let token = account.tokens?.refresh { client(server).revoke(token) }
            throw error
        }
        return try profile.accounts.keep(account, of: source.name)
    }

    private func client(_ server: TokenServer) -> TokenClient {
        TokenClient(server, exchange, now: { Now.seconds })
    }

    // MARK: - Ways

    private func authenticate(_ account: inout Account, by ways: LoginWays) throws(AccountError) {
        let namesUser = SourceOptions(source).user != nil
        if namesUser, let server = ways.passwordServer { return try exchangePassword(&account, at: server) }
        if namesUser, ways.takesPassword { return try usePassword(&account) }
        if let oauth = ways.oauth { return try useOAuth(&account, oauth, ways.name) }
        if let server = ways.passwordServer { return try exchangePassword(&account, at: server) }
        if ways.takesPassword { return try usePassword(&account) }
        if let page = ways.implicitPage { return try usePage(&account, page) }
        throw .malformed(
            reason:
                "\(URLReference.place(source.location)) doesn't say how to log in by any way that this version knows")
    }

    private func usePassword(_ account: inout Account) throws(AccountError) {
        let (user, password) = try questions.userAndPassword()
        account.user = user
        account.password = password
        try exchange.check(account, at: source.location)
    }

    private func exchangePassword(_ account: inout Account, at server: TokenServer) throws(AccountError) {
        let (user, password) = try questions.userAndPassword()
        account.user = user
        account.server = server
        account.tokens = try client(server).tokens(user: user, password: password)
    }

    private func usePage(_ account: inout Account, _ page: String) throws(AccountError) {
        questions.say("Open \(page) in a browser and log in. The address at which it ends begins with opds:")
        account.server = TokenServer(tokenEndpoint: page, allowsPlainHTTP: source.allowsPlainHTTP)
        account.tokens = try Account.Tokens(
            inAddress: try questions.secret("That address: "), now: Now.seconds)
    }

    private func useOAuth(
        _ account: inout Account, _ oauth: LoginWays.OAuth, _ name: String?
    ) throws(AccountError) {
        let place = "“\(source.name)”" + (name.map { " (\($0.prefix(80)))" } ?? "")
        account.server = oauth.server
        let browser = Browser(environment: profile.context.environment)
        if let endpoint = oauth.authorizationEndpoint, browser != nil || oauth.deviceEndpoint == nil {
            let page = try LoopbackPage()
            let login = BrowserLogin(oauth.server, endpoint: endpoint, issuer: oauth.issuer, port: page.port)
            questions.say("To log in to \(place), open \(page.address) in a browser on this machine")
            browser?.open(page.address)
            account.tokens = try login.tokens(
                by: page, client(oauth.server), atMost: Self.patience, isCancelled: { false })
        } else if let endpoint = oauth.deviceEndpoint {
            let client = self.client(oauth.server)
            let login = try DeviceLogin(client, at: endpoint)
            questions.say(
                "To log in to \(place), open \(login.place) in any browser and enter \(login.userCode)")
            if let complete = login.completePlace { questions.say("With the code in it: \(complete)") }
            account.tokens = try login.tokens(client) { duration in
                questions.pause(for: duration)
                return true
            }
        }
    }

    // MARK: - Introduction

    /// Makes this device known to the store, and learns who is logged in.
    private func introduce(_ account: inout Account) throws(AccountError) {
        guard account.tokens != nil else { return }
        let store = StoreClient(exchange)
        if account.store.devices != nil {
            let device = try DeviceIdentity(
                at: "\(profile.paths.dataDirectory)/device", profile: profile.paths.profile.text)
            account.device = device.identifier
            account.deviceToken = try store.register(
                device, client: "bookshelf/\(Bookshelf.version)", for: account)
        }
        guard let permissions = try store.permissions(of: account, now: Now.seconds) else { return }
        profile.permissionFiles.keep(permissions, of: source.name)
        if let name = permissions.account { account.user = name }
    }
}

internal import Accounts
internal import Catalog
internal import CommandLanguage
internal import HTTP
internal import JSON

/// `bookshelf logout SOURCE`.
enum LogoutCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let source = try profile.namedSource()
        let accounts = profile.accounts
        guard let outline = accounts.outline(of: source.name), outline.isLoggedIn || outline.server != nil else {
            throw .failed("nobody is logged in to “\(source.name)”")
        }
        // One that the keyring doesn't give is forgotten all the same.
        if let account = try? accounts.account(of: source.name) {
            let loop = TransferLoop(CurlLibrary())
            defer { loop.shutDown() }
            leave(account, source, loop)
        }
        var nobody = Account(origin: outline.origin)
        nobody.loginNeeded = "nobody is logged in; log in with: bookshelf login \(source.name)"
        do throws(AccountError) {
            try accounts.forget(source.name)
            try accounts.keep(nobody, of: source.name)
        } catch {
            throw .failed(error.reason)
        }
        profile.permissionFiles.keep(nil, of: source.name)
        if context.isJSON { return try context.print(["source": .string(source.name), "account": .null]) }
        context.confirm("\(source.name): logged out; what was downloaded stays")
    }

    /// Has the server forget what it gave; a server that can't be reached forgets it by itself in time.
    private static func leave(_ account: Account, _ source: Source, _ loop: TransferLoop) {
        let trust = source.trust
        let exchange = SmallExchange(
            loop, for: source.name, allowsPlainHTTP: source.allowsPlainHTTP, pinnedOrigin: trust.origin,
            pinnedPublicKeys: trust.pinnedPublicKeys)
        StoreClient(exchange).unregister(account)
        guard let server = account.server, let token = account.tokens?.refresh else { return }
        TokenClient(server, exchange, now: { Now.seconds }).revoke(token)
    }
}

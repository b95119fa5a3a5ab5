internal import Accounts
internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import HTTP
internal import Settings
internal import Shelf

extension ProfileState {
    /// Who is logged in where.
    var accounts: AccountStore {
        AccountStore(path: paths.secrets, keyring: SessionKeyring(ofProfileIn: paths.dataDirectory))
    }

    /// What stores said of permissions.
    var permissionFiles: PermissionFiles { PermissionFiles(in: "\(paths.stateDirectory)/permissions") }

    /// Whom to be towards the sources.
    func sessions(_ loop: TransferLoop) -> AccountSessions {
        let catalog = paths.catalog
        let trusts = SourceTrusts { () throws(CatalogError) in
            let queries = try CatalogQueries(path: catalog)
            return try queries.sources()
        }
        return AccountSessions(
            accounts, loop: loop, permissions: permissionFiles, trust: { trusts.trust(in: $0) }, now: { Now.seconds })
    }

    /// The source that the command names.
    ///
    /// - Throws: ``Failure`` if there is none of that name.
    func namedSource() throws(Failure) -> Source {
        let name = context.invocation.word(for: .sourceName) ?? ""
        let queries = try queries()
        do throws(CatalogError) {
            guard let source = try queries.sources().first(where: { $0.name == name }) else {
                throw CatalogError.unknownSource(name: name)
            }
            return source
        } catch {
            throw .failed(error.reason)
        }
    }

    /// How a source stands: by its last sync, and by what became of its login since.
    func report(of source: Source, _ journal: SyncJournal) -> StatusReport.Source {
        var report = journal.report(of: source)
        guard let account = accounts.outline(of: source.name) else { return report }
        if account.isLoggedIn {
            report.account = account.user ?? "somebody"
        } else if let reason = account.loginNeeded {
            report.state = .login
            report.lastError = reason
        }
        return report
    }
}

extension SourceSync {
    /// A source that gave its catalog to somebody who is logged out needs no login.
    func noteLogin(of source: Source, _ result: Result<SyncSummary, SourceError>) {
        guard case .success = result else { return }
        accounts.noteAnswered(source.name)
    }
}

internal import Glibc
internal import Processes

/// The browser of the person before the screen.
struct Browser {
    private let opener: String

    /// Finds it; there is none where there is no screen, or nothing that opens pages on it.
    ///
    /// - Parameter environment: Of the command.
    init?(environment: [String: String]) {
        guard Environment.screens.contains(where: { environment[$0].map { !$0.isEmpty } == true }) else { return nil }
        let places = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        let paths = places.filter { $0.hasPrefix("/") }.map { "\($0)/xdg-open" }
        guard let opener = paths.first(where: { unsafe access($0, X_OK) == 0 }) else { return nil }
        self.opener = opener
    }

    /// Opens a page; whether it came up nobody can tell, so its address has to be shown as well.
    ///
    /// - Parameter address: Without any secret: whoever is on the machine can see it.
    func open(_ address: String) {
        let nowhere = unsafe Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        defer { close(nowhere) }
        _ = try? ChildProcess.start(
            opener, arguments: ["xdg-open", address], environment: ThisProcess.environment,
            passing: [0, 1, 2].map { .init(nowhere, as: $0) }, isSessionLeader: true)
    }
}

internal import Glibc
internal import Settings

/// The variables of the environment that this program looks at.
enum Environment {
    /// Not for users: set, a mount does as if the kernel couldn't send requests again.
    static var withoutResend: String { "BOOKSHELF_TRY_WITHOUT_RESEND" }

    /// What tells whether a person sits before a screen, by which a browser finds it.
    static var screens: [String] { ["DISPLAY", "WAYLAND_DISPLAY"] }

    /// The address of the session bus, as D-Bus has it.
    static var sessionBus: String { "DBUS_SESSION_BUS_ADDRESS" }

    /// Those that are set, by name.
    static var variables: [String: String] {
        let names =
            [
                "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
                "PATH", sessionBus, withoutResend,
            ] + screens + Settings.declarations.map(\.environmentName)
        var variables: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables
    }
}

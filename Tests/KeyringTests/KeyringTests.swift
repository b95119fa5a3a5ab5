import Foundation
import Keyring
import Testing

/// With a keyring that answers it is tried by the case of that name, which starts one of its own.
@Suite("Keyring")
struct KeyringTests {
    /// Nobody's own keyring is touched.
    private static var hasNoSession: Bool {
        let environment = ProcessInfo.processInfo.environment
        let bus = environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
        return environment["DBUS_SESSION_BUS_ADDRESS"] == nil && environment["DISPLAY"] == nil
            && bus.map { FileManager.default.fileExists(atPath: $0) } != true
    }

    @Test("Without a session, or without libsecret, it says so", .enabled(if: hasNoSession, "a session is there"))
    func noSession() {
        do throws(Keyring.Failure) {
            _ = try Keyring.secret(of: "shop", in: "/nonexistent")
            Issue.record("a keyring answered")
        } catch {
            if case .refused(let reason) = error { #expect(!reason.isEmpty) }
        }
        #expect(throws: Keyring.Failure.self) {
            try Keyring.keep("secret", of: "shop", in: "/nonexistent", label: "Bookshelf: shop")
        }
        #expect(throws: Keyring.Failure.self) { try Keyring.forget("shop", in: "/nonexistent") }
    }
}

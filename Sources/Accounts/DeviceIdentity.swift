internal import Digest
internal import Glibc

/// What a store may know this device by.
package struct DeviceIdentity: Sendable, Hashable {
    /// Random, made with the profile.
    package let identifier: String

    /// The same for the profile as long as the machine is the same; `nil` where it has no identity.
    package let machine: String?

    /// Of this program, from which and the name of a profile the identity of an application is made.
    private static var program: [UInt8] {
        [0xB9, 0x1E, 0x5D, 0x0A, 0x6C, 0x47, 0x4F, 0x3B, 0x92, 0xD1, 0x8E, 0x27, 0x70, 0xFA, 0x34, 0xC6]
    }

    /// Finds the identity of a profile, or makes one.
    ///
    /// - Parameters:
    ///   - path: Of the file that keeps it.
    ///   - profile: The name of the profile.
    ///   - machineFile: See machine-id(5).
    /// - Throws: ``AccountError/storage(reason:)``.
    package init(at path: String, profile: String, machineFile: String = "/etc/machine-id") throws(AccountError) {
        if let known = Self.read(path) { identifier = known } else { identifier = try Self.make(at: path) }
        machine = Self.machineIdentifier(machineFile).map { Self.derived(from: $0, profile: profile) }
    }

    /// The identity of an application on a machine, which says nothing about the machine's own.
    ///
    /// See sd_id128_get_machine_app_specific(3), whose result it is for the application.
    ///
    /// - Parameters:
    ///   - machine: 16 bytes, which no application may give away.
    ///   - application: 16 bytes.
    /// - Returns: A UUID.
    package static func derived(from machine: [UInt8], application: [UInt8]) -> String {
        uuid(Array(KeyedDigest.bytes(of: application, key: machine).prefix(16)))
    }

    /// The application that a profile is, for ``derived(from:application:)``.
    package static func application(ofProfile profile: String) -> [UInt8] {
        Array(KeyedDigest.bytes(of: Array(profile.utf8), key: program).prefix(16))
    }

    private static func derived(from machine: [UInt8], profile: String) -> String {
        derived(from: machine, application: application(ofProfile: profile))
    }

    /// As RFC 9562 writes one of version 4.
    private static func uuid(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.hexadecimal
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// 32 hexadecimal digits, as machine-id(5) has them.
    private static func machineIdentifier(_ path: String) -> [UInt8]? {
        guard let digits = firstLine(of: path).map({ Array($0.utf8) }), digits.count == 32 else { return nil }
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        return bytes.count == 16 ? bytes : nil
    }

    private static func read(_ path: String) -> String? {
        guard let line = firstLine(of: path), line.utf8.count == 36,
            line.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "f") })
        else { return nil }
        return line
    }

    private static func firstLine(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
    }

    private static func make(at path: String) throws(AccountError) -> String {
        let identifier = uuid(Randomness.bytes(16))
        let line = Array("\(identifier)\n".utf8)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .storage(reason: "\(path) can't be written (error \(errno))") }
        let isWritten = unsafe write(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else { throw .storage(reason: "\(path) can't be written") }
        return identifier
    }
}

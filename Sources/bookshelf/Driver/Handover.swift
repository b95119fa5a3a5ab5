internal import FUSE
internal import Glibc
internal import JSON
internal import SharedMemory

/// What a part of a driver has to know that is no copy of the one before: of a supervisor that has died, or that goes on as
/// another program.
///
/// It crosses in a file in memory, which is written once and never changed, under ``DriverDescriptor/handover``.
struct Handover: Sendable {
    let plan: DriverPlan
    let initRequest: InitRequest
    let hasPassthrough: Bool

    /// Who wrote it.
    let supervisor: Int32

    /// Those of the supervisor's children that it goes on with; none where it may have died.
    var children: [DriverProcess: Int32] = [:]
    var sync: Int32?

    /// Whether this very process wrote it, as another program, and goes on with its children.
    var goesOn: Bool { supervisor == getpid() && children[.worker] != nil }

    /// Writes it down.
    ///
    /// - Returns: The file; `nil` if the system has no room for it.
    func file() -> OwnedDescriptor? {
        guard let descriptor = try? MemoryFile.open() else { return nil }
        let file = OwnedDescriptor(owning: descriptor)
        let bytes = json.encoded()
        guard unsafe write(file.rawValue, bytes, bytes.count) == bytes.count else { return nil }
        return file
    }

    /// Reads what was written; `nil` for anything else.
    ///
    /// - Parameter descriptor: Stays open.
    init?(readingFrom descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0, status.st_size < 1 << 20 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard unsafe pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
            let json = try? JSONValue(parsing: bytes), let plan = json["plan"],
            let initRequest = json["init"]?.stringValue.flatMap({ InitRequest(hexadecimal: $0) }),
            let supervisor = json["supervisor"]?.integerValue
        else { return nil }
        self.init(
            plan: DriverPlan(json: plan), initRequest: initRequest,
            hasPassthrough: json["hasPassthrough"]?.booleanValue ?? false, supervisor: Int32(clamping: supervisor))
        for part in [DriverProcess.worker, .announcer] {
            children[part] = json["children"]?[part.rawValue]?.integerValue.map { Int32(clamping: $0) }
        }
        sync = json["sync"]?.integerValue.map { Int32(clamping: $0) }
    }

    init(plan: DriverPlan, initRequest: InitRequest, hasPassthrough: Bool, supervisor: Int32) {
        self.plan = plan
        self.initRequest = initRequest
        self.hasPassthrough = hasPassthrough
        self.supervisor = supervisor
    }

    private var json: JSONValue {
        [
            "plan": plan.json, "init": .string(initRequest.hexadecimal),
            "hasPassthrough": .boolean(hasPassthrough), "supervisor": JSONValue(supervisor),
            "children": [
                "worker": JSONValue(children[.worker]), "announcer": JSONValue(children[.announcer]),
            ],
            "sync": JSONValue(sync),
        ]
    }
}

internal import Glibc
internal import Processes

/// The parts of a driver that are started as a program of their own instead of as copies: a supervisor in the place of one that died,
/// and worker and supervisor of another version of the program.
///
/// They are told what they need by a ``Handover``. Without one the words mean nothing.
enum DriverSuccession {
    /// Becomes the part that the words name.
    ///
    /// - Parameter words: Without the name of the program.
    /// - Returns: The exit status; `nil` if they name none.
    static func run(_ words: [String]) -> Int32? {
        guard words.count == 2, words[0] == "driver", let part = DriverProcess(rawValue: words[1]),
            let handover = Handover(readingFrom: DriverDescriptor.handover)
        else { return nil }
        // Of the others one may have come along that a library made: they aren't all closed on exec.
        ChildProcess.keepOnly(DriverDescriptor.all.map { ChildProcess.Passed($0, as: $0) })
        DriverProcess.settle()
        switch part {
        case .supervisor: return SupervisorProcess.goOn(handover)
        case .worker:
            return WorkerProcess.run(
                handover.plan,
                WorkerPart(
                    supervisor: handover.supervisor, initRequest: handover.initRequest,
                    hasPassthrough: handover.hasPassthrough, waitsForTurn: true))
        case .announcer: return nil
        }
    }
}

internal import Glibc
internal import Processes

/// The parts of a driver, each a process of this program that is started with the words `driver PART`.
enum DriverProcess: String {
    case supervisor
    case worker
    case announcer

    /// Variables beside the plan, for what only the supervisor knows.
    enum Variable {
        /// The INIT request of the mount, in hexadecimal digits.
        static var initRequest: String { "BOOKSHELF_DRIVER_INIT" }

        /// Set where requests that a dead worker had read are to be refused.
        static var refusesResent: String { "BOOKSHELF_DRIVER_REFUSES_RESENT" }
    }

    /// Runs the part until it ends.
    ///
    /// - Returns: The exit status; 2 if this wasn't started by a driver.
    func run() -> Int32 {
        ThisProcess.disableCoreFiles()
        // A worker that was started again says that it is ready to nobody.
        ThisProcess.ignoreBrokenPipes()
        guard let plan = ThisProcess.environment[DriverPlan.variable].flatMap(DriverPlan.init(_:)) else { return 2 }
        return switch self {
        case .supervisor: SupervisorProcess.run(plan)
        case .worker: WorkerProcess.run(plan)
        case .announcer: AnnouncerProcess.run(plan)
        }
    }
}

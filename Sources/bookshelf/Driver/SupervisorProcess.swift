internal import FUSE
internal import Glibc
internal import Log
internal import Processes

/// The process that holds a mount: it mounts, starts the worker that answers and the announcer that announces, and starts
/// them again when they die.
enum SupervisorProcess {
    /// What interrupts its wait.
    ///
    /// SIGUSR1 asks it to go on as the program of whoever sends it.
    private static var signals: [Int32] { [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1] }

    /// Mounts, and supervises until the mount has ended.
    ///
    /// - Returns: The exit status.
    static func run(_ plan: DriverPlan) -> Int32 {
        let log = plan.log(for: "supervisor")
        let signals = SignalQueue(signals)
        do throws(MountError) {
            let supervisor = try Supervisor(mounting: plan, signals: signals, log: log)
            return supervisor.run()
        } catch {
            log.error("the mount could not be made", ["reason": .public(error.description)])
            ReadySignal.send(error.description, to: DriverDescriptor.ready)
            return 1
        }
    }

    /// Goes on with a mount whose supervisor has died, or with that of this very process, which was another program before.
    ///
    /// - Returns: The exit status.
    static func goOn(_ handover: Handover) -> Int32 {
        let log = handover.plan.log(for: "supervisor")
        let signals = SignalQueue(signals)
        ThisProcess.outliveParent()
        do throws(MountError) {
            let supervisor = try Supervisor(takingOver: handover, signals: signals, log: log)
            return supervisor.goOn(with: handover)
        } catch {
            log.error("the mount could not be taken over", ["reason": .public(error.description)])
            guard case .notMounted = error else { return 1 }
            // Unmounted while nobody supervised: what the supervisor would have done.
            DriverMembers.kill(
                holding: ProfileLock.Purpose.driver.path(in: handover.plan.dataDirectory), waitingAtMost: .seconds(2))
            unsafe unlink(handover.plan.socket)
            return 0
        }
    }
}

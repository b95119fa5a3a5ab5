internal import FUSE
internal import Glibc
internal import Log
internal import Processes

/// A program that is about to take the place of the running one.
final class Replacement {
    /// Its worker, started and not serving yet.
    let process: Int32

    /// The program's file, open: who sent it may be gone by the time.
    let program: OwnedDescriptor

    /// Until when its worker must be ready, and after its turn must serve.
    private(set) var deadline = ContinuousClock().now + Replacement.limit

    /// Whether the worker before is being ended for it.
    var isAwaited = false

    /// Whether it has its turn.
    private(set) var hasBegun = false

    private let ready: PipeEnds
    private let turn: PipeEnds

    private static var limit: Duration { .seconds(10) }

    init(process: Int32, program: consuming OwnedDescriptor, ready: consuming PipeEnds, turn: consuming PipeEnds) {
        self.process = process
        self.program = program
        self.ready = ready
        self.turn = turn
    }

    var readyDescriptor: Int32 { ready.reading }

    /// Lets it serve.
    func begin() {
        var byte: UInt8 = 1
        _ = unsafe write(turn.writing, &byte, 1)
        isAwaited = false
        hasBegun = true
        deadline = ContinuousClock().now + Self.limit
    }

    /// What its worker says now; `nil` if nothing yet.
    func answer() -> ReadySignal.Outcome? {
        guard ThisProcess.wait(for: [ready.reading], atMost: .zero)[0] else {
            return deadline < ContinuousClock().now ? .timedOut : nil
        }
        return ReadySignal.wait(on: ready.reading, atMost: .milliseconds(200))
    }
}

/// How the running mount goes on as another program: its worker is started and made ready beside the old one, which is ended
/// only then; when the new one serves, the supervisor becomes the new program too. Until then nothing has changed that
/// couldn't be undone.
extension Supervisor {
    /// Starts the worker of the program that a process runs.
    func beginReplacing(byProgramOf sender: Int32, _ state: inout SupervisedProcesses) {
        guard replacement == nil, state.process(of: .worker) != nil else {
            return record.noteReplacement(failure: "the driver is busy with another program or a restart; try again")
        }
        guard canResend else {
            return record.noteReplacement(
                failure: "this kernel can't have requests answered by another process; unmount and mount instead")
        }
        let program = OwnedDescriptor(owning: unsafe open("/proc/\(sender)/exe", O_RDONLY | O_CLOEXEC))
        guard program.rawValue >= 0, var ready = PipeEnds(), let turn = PipeEnds() else {
            return record.noteReplacement(failure: "the program can't be opened (error \(errno))")
        }
        let passed =
            descriptors(of: .worker, ready: ready.writing)
            + [ChildProcess.Passed(turn.reading, as: DriverDescriptor.turn)]
        do throws(ChildProcess.Failure) {
            let process = try ChildProcess.start(
                "/proc/self/fd/\(program.rawValue)", arguments: DriverProcess.worker.words,
                environment: ThisProcess.environment, passing: passed)
            ready.closeWriting()
            replacement = Replacement(process: process, program: program, ready: ready, turn: turn)
            state.lookAgain(after: .seconds(1))
        } catch {
            record.noteReplacement(failure: error.reason)
        }
    }

    /// Takes the next step, if it is time for it.
    func goOnReplacing(_ state: inout SupervisedProcesses) {
        guard let replacement, !replacement.isAwaited else { return }
        switch replacement.answer() {
        case nil: state.lookAgain(after: .seconds(1))
        case .ready where !replacement.hasBegun:
            guard let worker = state.process(of: .worker) else {
                return abandonReplacement(because: "the worker ended meanwhile; try again")
            }
            // Its end is seen as every worker's is, and then the new one gets its turn.
            replacement.isAwaited = true
            kill(worker, SIGKILL)
        case .ready: become(replacement, state)
        case .failed(let reason): abandonReplacement(because: reason)
        case .died: abandonReplacement(because: "it ended before it was ready")
        case .timedOut: abandonReplacement(because: "it was not ready in time")
        }
    }

    /// Gives up a replacement, if there is one; what serves goes on.
    ///
    /// - Parameters:
    ///   - reason: Told to whoever waits; `nil` where nobody did anything wrong.
    ///   - isGone: Whether its worker has ended by itself.
    func abandonReplacement(because reason: String?, isGone: Bool = false) {
        guard let replacement else { return }
        self.replacement = nil
        if !isGone { kill(replacement.process, SIGKILL) }
        let reason = reason ?? "the driver had to do something else meanwhile; try again"
        record.noteReplacement(failure: "the new program was not taken: \(reason)")
        log.warning("another program was not taken; the driver goes on as it is", ["reason": .public(reason)])
    }

    /// Becomes the program whose worker serves by now.
    private func become(_ replacement: Replacement, _ state: SupervisedProcesses) {
        self.replacement = nil
        var handover = Handover(
            plan: plan, initRequest: device.initRequest, hasPassthrough: device.hasPassthrough, supervisor: getpid())
        handover.children = state.children
        handover.sync = state.sync
        log.info("the worker of another program serves; the supervisor becomes that program too")
        record.noteReplacement(failure: nil)
        guard let file = handover.file() else { return }
        var passed = descriptors(of: .supervisor, ready: nil).filter { $0.number != DriverDescriptor.handover }
        passed += [
            ChildProcess.Passed(file.rawValue, as: DriverDescriptor.handover),
            ChildProcess.Passed(advance.reading, as: DriverDescriptor.advance),
            ChildProcess.Passed(advance.writing, as: DriverDescriptor.advanceWriting),
        ]
        let number = ThisProcess.become(
            "/proc/self/fd/\(replacement.program.rawValue)", arguments: DriverProcess.supervisor.words,
            passing: passed)
        log.error("the supervisor stays the former program", ["errno": .public(Int(number))])
    }
}

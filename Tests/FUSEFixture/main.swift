import FUSE
import Glibc

// fuse-fixture supervise DIRECTORY MOUNTPOINT [OPTION...]
// fuse-fixture worker DIRECTORY DESCRIPTOR INIT serve|refuse
// fuse-fixture adopt DIRECTORY DESCRIPTOR INIT
// fuse-fixture unmount MOUNTPOINT [lazily]
let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "supervise" where arguments.count >= 4:
    exit(Supervisor.run(directory: arguments[2], mountPoint: arguments[3], options: Array(arguments.dropFirst(4))))
case "worker" where arguments.count == 6:
    guard let descriptor = CInt(arguments[3]), let initRequest = InitRequest(hexadecimal: arguments[4]) else { exit(2) }
    exit(
        Worker.run(
            directory: arguments[2], descriptor: descriptor, initRequest: initRequest,
            refusesResent: arguments[5] == "refuse"))
case "adopt" where arguments.count == 5:
    guard let descriptor = CInt(arguments[3]), let initRequest = InitRequest(hexadecimal: arguments[4]) else { exit(2) }
    exit(
        Supervisor.adopt(
            directory: arguments[2], mountPoint: arguments[2] + "/mount", descriptor: descriptor,
            initRequest: initRequest))
case "unmount" where arguments.count >= 3:
    do {
        try MountPoint.unmount(arguments[2], lazily: arguments.count > 3)
    } catch {
        print("error \(error)")
        exit(1)
    }
default:
    exit(2)
}

internal import Glibc
internal import Terminal

openMissingStandardDescriptors()
let words = Array(CommandLine.arguments.dropFirst())
// Not exit: a part of a driver ends as the copies do.
if let status = DriverSuccession.run(words) ?? IndexProcess.run(words) ?? KeyringProcess.run(words) { _exit(status) }
exit(Bookshelf().run(words))

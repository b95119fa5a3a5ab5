internal import Glibc
internal import Terminal

openMissingStandardDescriptors()
let words = Array(CommandLine.arguments.dropFirst())
if words.count == 2, words[0] == "driver", let part = DriverProcess(rawValue: words[1]) { exit(part.run()) }
exit(Bookshelf().run(words))

internal import Glibc
internal import Terminal

openMissingStandardDescriptors()
exit(Bookshelf().run(Array(CommandLine.arguments.dropFirst())))

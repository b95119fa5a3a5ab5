internal import Glibc

/// Opens whatever of standard input, output and error is closed, on `/dev/null` and in the direction that can't be used.
///
/// Else the first file that the program opens would take its number, and a message would be written into a database. Using
/// one of them fails as it would have, with EBADF.
package func openMissingStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // The kernel gives the lowest number that is free, which is this one.
        _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

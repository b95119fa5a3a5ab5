internal import Glibc

/// Opens whatever of standard input, output and error is closed, on `/dev/null`.
///
/// Else the first file that the program opens would take its number, and a message would be written into a database.
package func openMissingStandardDescriptors() {
    while true {
        let descriptor = unsafe open("/dev/null", O_RDWR)
        guard (0...STDERR_FILENO).contains(descriptor) else {
            if descriptor > STDERR_FILENO { close(descriptor) }
            return
        }
    }
}

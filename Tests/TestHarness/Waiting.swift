internal import Glibc

/// Waits until something holds that nobody tells this process of: another process, the kernel, a file.
///
/// It looks again and again, as there is nothing to wait on. What a thread of the test itself brings about that thread can
/// tell, by a `Monitor`.
///
/// - Parameters:
///   - limit: How long at most.
///   - isTrue: Asked at once, and every millisecond.
/// - Returns: Whether it came to hold within the limit.
package func eventually(within limit: Duration = .seconds(30), _ isTrue: () -> Bool) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while !isTrue() {
        // The last look is behind the end, however late this thread runs.
        guard clock.now < end else { return isTrue() }
        usleep(1_000)
    }
    return true
}

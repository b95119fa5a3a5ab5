// Only where tests are built: a plain `swift build` makes this target, too, and finds no library for tests.
#if canImport(Testing)
    internal import Glibc
    package import Testing

    /// Expects bytes, and tells of others where they begin to differ: all of some megabytes would take minutes to print.
    package func expectSame(
        _ found: [UInt8]?, _ wanted: [UInt8], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let of = comment.map { ": \($0.rawValue)" } ?? ""
        guard let found else {
            Issue.record("no bytes, or not so many\(of)", sourceLocation: sourceLocation)
            return
        }
        if found.count == wanted.count, unsafe memcmp(found, wanted, wanted.count) == 0 { return }
        let place = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        Issue.record(
            "\(found.count) bytes instead of \(wanted.count), others from \(place ?? min(found.count, wanted.count)) on\(of)",
            sourceLocation: sourceLocation)
    }
#endif

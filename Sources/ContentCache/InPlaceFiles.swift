internal import Glibc
internal import Shelf
internal import Synchronization

/// The files that are served where they lie, as they were when they were opened.
///
/// Nobody but their owner keeps them from being changed. So each read compares the file under the name with the one that was
/// opened: another inode, size or date, and nothing more is given out of it until it is opened anew.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class InPlaceFiles: Sendable {
    /// What a look at a file came to.
    enum Standing {
        /// It is open, and as it was then.
        case intact(CachedFile)

        /// It isn't what it was when it was opened.
        case changed

        /// It can't be had, as it stood when that was found, and stands still.
        case refused(ContentError)

        /// Nobody has looked.
        case unknown
    }

    private struct Opened {
        let path: String
        let file: CachedFile
    }

    private struct Refusal {
        /// As the catalog had it.
        let version: ContentVersion
        let path: String

        /// `nil` for a file that isn't there.
        let stamp: FileStamp?
        let error: ContentError
    }

    private struct State {
        var opened: [VersionID: Opened] = [:]
        var refused: [VersionID: Refusal] = [:]
    }

    /// How many files are kept open, and how many refusals are remembered.
    private static var maximumCount: Int { 256 }

    private let state = Mutex(State())

    /// How a content stands whose file was looked at before.
    func standing(of version: ContentVersion) -> Standing {
        let (opened, refused) = state.withLock { ($0.opened[version.id], $0.refused[version.id]) }
        if let opened {
            guard opened.file.stamp == FileStamp(following: opened.path) else { return .changed }
            return opened.file.byteCount == version.byteCount ? .intact(opened.file) : .unknown
        }
        if let refused, refused.version == version, refused.stamp == FileStamp(following: refused.path) {
            return .refused(refused.error)
        }
        return .unknown
    }

    /// Lets go of what was opened; whoever reads next begins with what is there then.
    func forget(_ version: VersionID) {
        let released = state.withLock { state in
            state.refused[version] = nil
            return state.opened.removeValue(forKey: version)
        }
        _ = consume released
    }

    /// Opens the file of a content, once it is what the catalog says; waits for the disk.
    ///
    /// - Parameters:
    ///   - version: As the catalog has it now.
    ///   - path: Of the file, or of a link to it.
    ///   - correctSize: Makes the catalog take the size of a file whose declared size didn't bind.
    ///   - goesOn: Whether to go on reading a large file.
    /// - Returns: The file.
    /// - Throws: ``ContentError``, which is remembered for as long as neither the file nor the catalog changes.
    func open(
        _ version: ContentVersion, at path: String, correctSize: (Int64) -> SizeCorrection, goesOn: () -> Bool
    ) throws(ContentError) -> CachedFile {
        let stamp = FileStamp(following: path)
        do throws(ContentError) {
            let file = try Self.opened(version, path, correctSize, goesOn)
            let released = state.withLock { state -> [Opened] in
                var released: [Opened] = []
                // Those who read of them open them again.
                if state.opened.count >= Self.maximumCount {
                    released = Array(state.opened.values)
                    state.opened = [:]
                }
                state.refused[version.id] = nil
                state.opened[version.id] = Opened(path: path, file: file)
                return released
            }
            _ = consume released
            return file
        } catch {
            if error != .interrupted { refuse(version, path, stamp, error) }
            throw error
        }
    }

    /// Remembers that a file is no good as it is.
    func refuse(_ version: ContentVersion, _ path: String, _ stamp: FileStamp?, _ error: ContentError) {
        state.withLock { state in
            if state.refused.count >= Self.maximumCount { state.refused = [:] }
            state.refused[version.id] = Refusal(version: version, path: path, stamp: stamp, error: error)
        }
    }

    private static func opened(
        _ version: ContentVersion, _ path: String, _ correctSize: (Int64) -> SizeCorrection, _ goesOn: () -> Bool
    ) throws(ContentError) -> CachedFile {
        let found = try FoundFile(at: path)
        let stamp = found.stamp
        func broken(_ reason: String) -> ContentError {
            version.isSuperseded ? .superseded : .broken(reason: "\(path) \(reason)")
        }
        if stamp.byteCount != version.byteCount {
            let mayBeCorrected = !version.isByteCountBinding && !version.isSuperseded && stamp.byteCount > 0
            guard mayBeCorrected, case .made = correctSize(stamp.byteCount) else {
                throw broken("has \(stamp.byteCount) bytes where the catalog says \(version.byteCount)")
            }
        }
        if let expected = version.sha256 {
            guard try found.sha256({ _ in goesOn() }) == expected else {
                throw broken("has another SHA-256 than the catalog says")
            }
        }
        guard FileStamp(descriptor: found.file.number) == stamp, FileStamp(following: path) == stamp else {
            throw broken("is being changed")
        }
        return CachedFile(found.file, stamp, sha256: version.sha256 ?? "")
    }
}

/// A file that was opened where it lies.
struct FoundFile: ~Copyable {
    let file: Descriptor
    let stamp: FileStamp

    /// Opens a regular file, through links; a pipe would wait.
    ///
    /// - Throws: ``ContentError``.
    init(at path: String) throws(ContentError) {
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            guard let stamp = FileStamp(descriptor: file.number) else { throw SystemError(number: EISDIR) }
            self.file = file
            self.stamp = stamp
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR, ELOOP: throw .missing(reason: "\(path) is not there")
            case EISDIR, ENXIO: throw .missing(reason: "\(path) is not a regular file")
            case EACCES, EPERM: throw .denied(reason: "\(path) may not be read")
            default: throw .broken(reason: "\(path) can't be opened: \(error.words)")
            }
        }
    }

    /// The hash of the whole.
    ///
    /// - Parameter goesOn: Told how many bytes were read since the last call; returns whether to go on.
    /// - Returns: 64 lower-case hexadecimal digits.
    /// - Throws: ``ContentError/interrupted`` once it isn't to go on, or why it can't be read.
    borrowing func sha256(_ goesOn: (_ byteCount: Int64) -> Bool) throws(ContentError) -> String {
        let found: String?
        do throws(SystemError) {
            found = try file.sha256(of: 0..<stamp.byteCount, goesOn: goesOn)
        } catch {
            throw ContentError(error, "it can't be read")
        }
        guard let found else { throw .interrupted }
        return found
    }
}

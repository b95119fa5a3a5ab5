internal import Catalog
internal import FUSE
internal import Shelf

extension Errno {
    /// The number that tells a reading program what to do about `error`.
    ///
    /// There is no `default`: a new case doesn't compile until somebody decides its number.
    init(_ error: ContentError) {
        switch error {
        case .interrupted: self = .interrupted
        case .removed: self = .noSuchFileOrDirectory
        case .unreachable: self = .noRouteToHost
        case .timedOut, .tooManyWaiting: self = .timedOut
        case .denied: self = .accessDenied
        case .missing: self = .noData
        case .broken, .damaged, .cacheFailed: self = .inputOutput
        case .superseded: self = .staleHandle
        case .noRoom: self = .noSpace
        }
    }

    /// The number for a catalog that can't be asked: nothing that a reading program could act on.
    init(_ error: CatalogError) {
        switch error {
        case .busy, .damaged, .replaced, .full, .newer, .migrationFailed, .absent, .unknownSource, .sourceExists,
            .other:
            self = .inputOutput
        }
    }
}

/// Why the content of a book can't be read.
///
/// The cases are what a reader can act on; `reason` says in words what happened, without any secret. One number of
/// errno(3) belongs to each case.
package enum ContentError: Error, Hashable, Sendable {
    /// The caller was interrupted by a signal.
    case interrupted

    /// The catalog lists no such content any more.
    case removed

    /// The source can't be reached: name not found, connection refused, no route.
    case unreachable(reason: String)

    /// The source didn't answer in time.
    case timedOut(reason: String)

    /// Too many reads wait already.
    case tooManyWaiting

    /// The source says that this content may not be had, or that a login is needed, or the caller is denied.
    case denied(reason: String)

    /// The source listed the book and now says that there is no such content.
    case missing(reason: String)

    /// What arrived isn't the book: broken off, wrong size, wrong hash, wrong protocol.
    case broken(reason: String)

    /// What was on disk isn't the book any more.
    case damaged(reason: String)

    /// The cache directory, or the disk that it is on, doesn't do what it should.
    case cacheFailed(reason: String)

    /// The bytes of an older version aren't on disk and can't be had any more.
    case superseded

    /// The cache has no room left.
    case noRoom(reason: String)

    /// The symbol of the error number that a reader sees, as errno(3) names it.
    package var symbol: String {
        switch self {
        case .interrupted: "EINTR"
        case .removed: "ENOENT"
        case .unreachable: "EHOSTUNREACH"
        case .timedOut, .tooManyWaiting: "ETIMEDOUT"
        case .denied: "EACCES"
        case .missing: "ENODATA"
        case .broken, .damaged, .cacheFailed: "EIO"
        case .superseded: "ESTALE"
        case .noRoom: "ENOSPC"
        }
    }

    /// What happened, in words.
    package var reason: String {
        switch self {
        case .interrupted: "the reading program was interrupted"
        case .removed: "the book was removed from the catalog"
        case .tooManyWaiting: "too many reads are waiting for their sources already"
        case .superseded: "a newer edition took its place and the older bytes are not on disk"
        case .unreachable(let reason), .timedOut(let reason), .denied(let reason), .missing(let reason),
            .broken(let reason), .damaged(let reason), .cacheFailed(let reason), .noRoom(let reason):
            reason
        }
    }

    /// What the person can do about it, in words.
    package var advice: String {
        switch self {
        case .interrupted: "Read it again."
        case .removed: "Look for it with: bookshelf list --all"
        case .unreachable: "It opens again once the source can be reached; books that are on disk open meanwhile."
        case .timedOut: "Try again; if the line is slow, raise read.deadline or use: bookshelf fetch"
        case .tooManyWaiting: "Wait until the waiting reads have ended, or fetch books one by one with: bookshelf fetch"
        case .denied: "Check that you are logged in and still own the book."
        case .missing: "The source lists the book without having it; sync again, or ask who runs the source."
        case .broken: "Try again with: bookshelf fetch; if it stays so, ask who runs the source."
        case .damaged:
            "It was taken out of the cache and is fetched again when it is read; if that happens often, check the disk."
        case .cacheFailed: "Check the disk and the cache directory, and try again with: bookshelf fetch"
        case .superseded: "Close the book and open it again."
        case .noRoom: "Free some space, or raise cache.max-size; what is pinned may go beyond it."
        }
    }
}

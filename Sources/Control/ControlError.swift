/// Why a command and the driver can't talk.
package enum ControlError: Error, Hashable, Sendable {
    /// No driver runs for the profile: the command may do the work itself.
    case noDriver

    /// Another driver listens at that place.
    case inUse(path: String)

    /// The socket can't be made or used.
    case unusable(path: String, reason: String)

    /// Who is at the other end isn't the same user, nor root.
    case untrusted(path: String)

    /// The driver ended before it answered.
    case ended

    /// The driver said nothing for too long.
    case silent

    /// What came isn't a message of this version.
    case notUnderstood

    /// A message is longer than ``ControlLimits/messageByteCount``.
    case tooLong

    /// The driver won't do it.
    case refused(ControlRefusal)

    /// What happened and what to do, in one line.
    package var reason: String {
        switch self {
        case .noDriver: "the shelf isn't mounted; mount it with: bookshelf mount MOUNTPOINT"
        case .inUse(let path):
            "a driver of this profile is running already and listens at \(path); see: bookshelf status"
        case .unusable(let path, let reason): "can't use the socket \(path): \(reason)"
        case .untrusted(let path): "the socket \(path) belongs to another user; it is not used"
        case .ended: "the driver ended before it answered; try again"
        case .silent: "the driver doesn't answer; see its log, or end it with: bookshelf unmount MOUNTPOINT"
        case .notUnderstood:
            "the driver and this command are of different versions; take the shelf away with bookshelf unmount MOUNTPOINT and mount it again"
        case .tooLong: "that is too much at once; name fewer books"
        case .refused(let refusal): refusal.reason
        }
    }
}

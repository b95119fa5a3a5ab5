internal import Shelf

/// What the rules of the cache ask of an error.
extension ContentError {
    var isBroken: Bool {
        if case .broken = self { true } else { false }
    }

    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    var isUnreachable: Bool {
        if case .unreachable = self { true } else { false }
    }

    var isForLackOfRoom: Bool {
        if case .noRoom = self { true } else { false }
    }
}

/// The transfers of one source: those that wait for their turn, and how many run.
struct TransferGroup {
    private var urgent: [RunningTransfer] = []
    private var others: [RunningTransfer] = []
    var runningCount = 0

    /// The source wants to be left alone until then.
    var notBefore: SuspendingClock.Instant?

    var isIdle: Bool { urgent.isEmpty && others.isEmpty }

    /// Adds a transfer to those that wait; `isFirst` puts it before its equals, because it had its turn before.
    mutating func add(_ transfer: RunningTransfer, isFirst: Bool) {
        switch (transfer.request.isUrgent, isFirst) {
        case (true, false): urgent.append(transfer)
        case (true, true): urgent.insert(transfer, at: 0)
        case (false, false): others.append(transfer)
        case (false, true): others.insert(transfer, at: 0)
        }
    }

    /// Takes the next to run, unless the bound is reached or the source wants to be left alone.
    mutating func next(maximumRunningCount: Int, now: SuspendingClock.Instant) -> RunningTransfer? {
        guard runningCount < maximumRunningCount else { return nil }
        if let notBefore {
            guard now >= notBefore else { return nil }
            self.notBefore = nil
        }
        if !urgent.isEmpty { return urgent.removeFirst() }
        return others.isEmpty ? nil : others.removeFirst()
    }

    /// Takes out a transfer that waits.
    mutating func remove(_ id: UInt64) -> RunningTransfer? {
        if let index = urgent.firstIndex(where: { $0.id == id }) { return urgent.remove(at: index) }
        return others.firstIndex { $0.id == id }.map { others.remove(at: $0) }
    }

    /// Takes out all that wait.
    mutating func removeAll() -> [RunningTransfer] {
        defer { (urgent, others) = ([], []) }
        return urgent + others
    }
}

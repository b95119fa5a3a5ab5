/// A thread that makes something of the next items while the caller deals with what it made of the last ones.
///
/// One batch is being made at a time, so memory stays flat. Dropped unfinished, it lets its thread end by itself.
package struct WorkAhead<Item: Sendable, Product: Sendable>: ~Copyable {
    private struct State {
        var items: [Item]?
        var products: [Product]?
        var isEnded = false
    }

    private let state: Monitor<State>
    private let thread: WorkerThread
    private var isWorking = false

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: Of the thread; shown by ps(1), cut to 15 bytes.
    ///   - make: Called there once an item, in order.
    package init(name: String, make: @escaping @Sendable (Item) -> Product) {
        let state = Monitor(State())
        self.state = state
        thread = WorkerThread(name: name) {
            while let items = Self.nextItems(state) {
                let products = items.map(make)
                state.update { $0.products = products }
            }
        }
    }

    deinit {
        state.update { $0.isEnded = true }
    }

    /// Hands over the next items.
    ///
    /// - Returns: What was made of those handed over before, in order; waits for it.
    package mutating func handOver(_ items: [Item]) -> [Product] {
        let products = takeProducts()
        state.update { $0.items = items }
        isWorking = true
        return products
    }

    /// What was made of the items handed over last, in order; waits for it.
    package mutating func takeProducts() -> [Product] {
        guard isWorking else { return [] }
        isWorking = false
        return state.wait(atMost: nil) { state in
            defer { state.products = nil }
            return state.products
        } ?? []
    }

    private static func nextItems(_ state: Monitor<State>) -> [Item]? {
        let next = state.wait(atMost: nil) { state -> [Item]?? in
            if state.isEnded { return .some(nil) }
            defer { state.items = nil }
            return state.items.map { .some($0) }
        }
        return next ?? nil
    }
}

import HTTPTypes

/// The lanes of a list: a few items at a time, each with a permit, as one in a request of its own.
///
/// A list takes as many permits as are free, at most its share, also while it runs, and is refused only if none is free at
/// first.
struct ListLanes: Sendable {
    let admission: Admission
    let limits: ListLimits
    let client: ClientAddress

    /// Answers the items that could be read, in order. `rounds` is the number of items that one lane still has before it,
    /// the one to answer included.
    func answers<Item: Sendable, Value: Sendable>(
        to items: [Result<Item, Problem>],
        _ answer: @escaping @Sendable (Item, _ rounds: Int) async -> Result<Value, Problem>,
    ) async throws -> [Result<Value, Problem>] {
        try admission.checkOpen()
        let readable = items.enumerated().compactMap { index, item in (try? item.get()).map { (index, $0) } }
        var answers: [Result<Value, Problem>] = items.map { item in
            switch item {
            case .success: .failure(Problem(.internalServerError, "attachd failed. See its log for the reason."))
            case .failure(let problem): .failure(problem)
            }
        }
        guard !readable.isEmpty else { return answers }
        // The permits of the list, and those of them that no item uses now.
        var permits = try enter()
        var idle = permits
        var next = 0
        await withTaskGroup(of: (Int, Result<Value, Problem>).self) { group in
            repeat {
                // Permits that others return are taken later, too.
                while idle < readable.count - next, permits < limits.share, takePermit() {
                    permits += 1
                    idle += 1
                }
                while idle > 0, next < readable.count {
                    let (index, item) = readable[next]
                    let rounds = (readable.count - next + permits - 1) / permits
                    idle -= 1
                    next += 1
                    group.addTask { (index, await answer(item, rounds)) }
                }
                if next == readable.count {
                    for _ in 0..<idle { leave() }
                    permits -= idle
                    idle = 0
                }
                guard let (index, answer) = await group.next() else { break }
                answers[index] = answer
                idle += 1
            } while true
        }
        return answers
    }

    /// Takes the first permit, without which a list is refused.
    private func enter() throws -> Int {
        guard takePermit() else {
            let detail = "Too many notifications are in progress already. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        return 1
    }

    private func takePermit() -> Bool {
        guard limits.permits.enter(client) else { return false }
        guard admission.enter() else {
            limits.permits.leave(client)
            return false
        }
        return true
    }

    private func leave() {
        admission.leave()
        limits.permits.leave(client)
    }
}

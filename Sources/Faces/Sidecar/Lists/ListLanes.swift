import HTTPTypes

/// The lanes of a list: a few items at a time, each with a permit, as one in a request of its own.
///
/// A list takes as many permits as are free, at most its share, also while it runs. It is refused only if none is free at
/// first, before it is read: reading a list is work, too.
struct ListLanes: Sendable {
    let admission: Admission
    let limits: ListLimits
    let client: ClientAddress

    /// Throws if a list would be refused now. Whoever sends one learns it from its first byte on.
    func checkRoom() throws {
        try admission.checkOpen()
        guard limits.permits.hasRoom(client), admission.hasRoom else { throw Self.full }
    }

    /// Reads a list and answers it with its first permit, on the thread of long work. Throws if there is no permit. The
    /// body must have arrived, so that a slow client does not hold a permit.
    func admit<Items: Sendable, Value: Sendable>(
        read: @Sendable () throws -> Items,
        answer: @concurrent @Sendable (Items) async throws -> Value,
    ) async throws -> Value {
        try admission.checkOpen()
        guard takePermit() else { throw Self.full }
        defer { leave() }
        let items = try await limits.longWork.read(from: client, read)
        return try await limits.longWork.perform { try await answer(items) }
    }

    /// Answers the items that could be read, in order, beginning with the permit of `admit`. `rounds` is the number of items that one lane still has before it,
    /// the one to answer included.
    func answers<Item: Sendable, Value: Sendable>(
        to items: [Result<Item, Problem>],
        _ answer: @escaping @Sendable (Item, _ rounds: Int) async -> Result<Value, Problem>,
    ) async -> [Result<Value, Problem>] {
        let readable = items.enumerated().compactMap { index, item in (try? item.get()).map { (index, $0) } }
        var answers: [Result<Value, Problem>] = items.map { item in
            switch item {
            case .success: .failure(Problem(.internalServerError, "attachd failed. See its log for the reason."))
            case .failure(let problem): .failure(problem)
            }
        }
        guard !readable.isEmpty else { return answers }
        // The permits of the list, and those of them that no item uses now. `admit` takes and returns the first.
        var permits = 1
        var idle = 1
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
                    let spare = min(idle, permits - 1)
                    for _ in 0..<spare { leave() }
                    permits -= spare
                    idle -= spare
                }
                guard let (index, answer) = await group.next() else { break }
                answers[index] = answer
                idle += 1
            } while true
        }
        return answers
    }

    private static let full = Problem(
        .tooManyRequests,
        "Too many notifications are in progress already. Try again shortly, or raise --requests.",
        retryAfter: 1,
    )

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

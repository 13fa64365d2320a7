package import Jobs

/// Where an engine keeps jobs: each try of a rule has a new and empty one.
package protocol QueueStore: Sendable {
    /// Whether the earliest deadline of a priority is leased first; otherwise what was enqueued first is.
    var ordersByDeadline: Bool { get }

    /// The queue as one worker has it. Those of several workers share the store's jobs.
    func open(as worker: String, _ limits: QueueLimits) async throws -> any JobQueue

    /// Ends all its queues, as processes do that end in good order. It may be opened again.
    func close() async throws
}

/// The queues that a rule is tried on.
package struct Queues: Sendable {
    let store: any QueueStore

    /// Leases here end soon; a rule that uses them waits until they did.
    static let shortLeases = QueueLimits(leaseTime: .milliseconds(100))
    /// Leases here don't end while a rule is tried.
    static let longLeases = QueueLimits(leaseTime: .seconds(600))

    func open(_ limits: QueueLimits = longLeases) async throws -> any JobQueue {
        try await store.open(as: "a", limits)
    }

    func openTwo(_ limits: QueueLimits = longLeases) async throws -> (any JobQueue, any JobQueue) {
        (try await store.open(as: "a", limits), try await store.open(as: "b", limits))
    }
}

package import Jobs

/// An engine's storage for jobs. Each check of a rule gets a new, empty store.
package protocol QueueStore: Sendable {
    /// Opens the queue for `worker`. The queues of several workers share the store's jobs.
    func open(as worker: String, _ limits: QueueLimits) async throws -> any JobQueue

    /// Closes all its queues, as processes do in an orderly shutdown. The store may be opened again.
    func close() async throws
}

/// The queues for the check of a rule.
package struct Queues: Sendable {
    let store: any QueueStore

    /// Limits with leases that end soon; a rule that uses them waits for that.
    static let shortLeases = QueueLimits(leaseTime: .milliseconds(100))
    /// Limits with leases that outlast the check of a rule.
    static let longLeases = QueueLimits(leaseTime: .seconds(600))

    func open(_ limits: QueueLimits = longLeases) async throws -> any JobQueue {
        try await store.open(as: "a", limits)
    }

    func openTwo(_ limits: QueueLimits = longLeases) async throws -> (any JobQueue, any JobQueue) {
        (try await store.open(as: "a", limits), try await store.open(as: "b", limits))
    }
}

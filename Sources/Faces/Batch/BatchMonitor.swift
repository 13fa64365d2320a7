import Synchronization

/// The progress of a batch that runs, for whoever shows it, and the wish that it stops.
package final class BatchMonitor: Sendable {
    private let state = Mutex(BatchProgress())
    private let stopped = Atomic(false)

    package init() {}

    package var progress: BatchProgress { state.withLock(\.self) }

    /// Has no more files begun. What is under way is finished.
    package func stop() { stopped.store(true, ordering: .relaxed) }

    package var isStopped: Bool { stopped.load(ordering: .relaxed) }

    func update(_ change: (inout BatchProgress) -> Void) { state.withLock { change(&$0) } }
}

import Synchronization

/// The progress of a running batch, and the request to stop it.
package final class BatchMonitor: Sendable {
    private let state = Mutex(BatchProgress())
    private let stopped = Atomic(false)

    package init() {}

    package var progress: BatchProgress { state.withLock(\.self) }

    /// Stops beginning files. Files in progress finish.
    package func stop() { stopped.store(true, ordering: .relaxed) }

    package var isStopped: Bool { stopped.load(ordering: .relaxed) }

    func update(_ change: (inout BatchProgress) -> Void) { state.withLock { change(&$0) } }
}

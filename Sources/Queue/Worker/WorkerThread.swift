import Dispatch
import Timing

/// A thread outside Swift's pool. It renews leases and answers jobs on time even while all threads of the pool are
/// busy.
package final class WorkerThread: TaskExecutor {
    // A separate queue gets a separate thread as soon as it has work.
    private let queue: DispatchQueue
    private let heartbeat: LoopHeartbeat

    package init() {
        let queue = DispatchQueue(label: "attachd.worker", qos: .userInteractive)
        self.queue = queue
        heartbeat = LoopHeartbeat("worker") { queue.async(execute: $0) }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import Dispatch
import Timing

/// A thread for what must not wait for a free core of Swift's pool: leases are renewed and answers given on time even
/// while all its threads are busy.
final class WorkerThread: TaskExecutor {
    // A queue of its own has a thread of its own, as soon as there is something to do.
    private let queue: DispatchQueue
    private let heartbeat: LoopHeartbeat

    init() {
        let queue = DispatchQueue(label: "attachd.worker", qos: .userInteractive)
        self.queue = queue
        heartbeat = LoopHeartbeat("worker") { queue.async(execute: $0) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import Jobs

/// The queue of a run: the simulated one, or one of the product's.
protocol FleetQueue: AnyObject {
    /// Returns the queue as a worker sees it.
    func view(of machine: Machine, _ time: SimulatedTime, _ checks: WorkerChecks, seed: UInt64) -> any JobQueue

    /// Adds a job, as its producer does. Tells the outcome to `log`.
    func produce(_ job: Job, _ log: @escaping @Sendable (String) -> Void)

    /// Cancels a job, as its producer does. Tells the outcome to `log`.
    func withdraw(_ name: JobName, _ log: @escaping @Sendable (String) -> Void)

    /// Notices that a worker is gone, if it ended in a way that closes its connections.
    func forget(_ client: Machine)
}

extension QueueServer: FleetQueue {
    func view(of machine: Machine, _ time: SimulatedTime, _ checks: WorkerChecks, seed: UInt64) -> any JobQueue {
        let line = QueueLine(self, of: machine, scheduler, faults, seed: seed)
        return SimulatedQueue(line: line, time: time, checks: checks, mutant: mutant)
    }

    func produce(_ job: Job, _ log: @escaping @Sendable (String) -> Void) {
        log("enqueues \(job.id): \(enqueue(job).summary)")
    }

    func withdraw(_ name: JobName, _ log: @escaping @Sendable (String) -> Void) {
        log("cancels \(name.id): \(cancel(name))")
    }
}

extension Enqueued {
    var summary: String { if case .finished(let reply) = self { "finished \(reply.status)" } else { "\(self)" } }
}

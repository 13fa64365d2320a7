/// The counts of a queue at one moment.
package struct QueueStatus: Sendable, Equatable {
    package var waiting = 0
    package var running = 0
    package var dead = 0
    /// The number of answers still to be posted.
    package var callbacks = 0
    /// The time for which the oldest waiting job has waited. Look at this number first.
    package var oldestWaiting: Duration?

    package init(waiting: Int = 0, running: Int = 0, dead: Int = 0, callbacks: Int = 0, oldestWaiting: Duration? = nil)
    {
        self.waiting = waiting
        self.running = running
        self.dead = dead
        self.callbacks = callbacks
        self.oldestWaiting = oldestWaiting
    }
}

/// A job in a listing.
package struct JobSummary: Sendable, Equatable {
    package var name: JobName
    package var isRunning: Bool
    /// The time until the job's deadline, negative once it has passed.
    package var remaining: Duration
    package var starts: Int

    package init(name: JobName, isRunning: Bool, remaining: Duration, starts: Int) {
        self.name = name
        self.isRunning = isRunning
        self.remaining = remaining
        self.starts = starts
    }
}

/// A job that killed its workers, kept for an operator to examine.
package struct DeadLetter: Sendable, Equatable {
    package var job: Job
    package var starts: Int
    /// The time since the job became a dead letter.
    package var age: Duration

    package init(job: Job, starts: Int, age: Duration) {
        self.job = job
        self.starts = starts
        self.age = age
    }
}

// MARK: - Load

/// The work of a queue at one moment, from which the number of workers follows that it needs.
package struct QueueLoad: Sendable, Equatable {
    /// The number of waiting jobs that are due within a time.
    package struct Due: Sendable, Equatable {
        package var within: Duration
        package var count: Int

        package init(within: Duration, count: Int) {
            self.within = within
            self.count = count
        }
    }

    /// The times within which due jobs are counted: in steps of about a third, up to a day. Jobs that are due within no
    /// time are late.
    package static let horizons: [Duration] = [
        0, 1, 2, 3, 4, 5, 7, 10, 13, 17, 22, 30, 40, 55, 75, 100, 150, 200, 300, 600, 1800, 7200, 86_400,
    ]
    .map { .seconds($0) }

    /// The time of the queue's clock, in milliseconds since 1970.
    package var now: Int
    /// The waiting jobs by the time that is left, each count with all jobs that are due sooner.
    package var due: [Due]
    package var waiting: Int
    package var running: Int
    /// The number of answers still to be posted, which also needs a worker.
    package var callbacks: Int
    /// The number of all jobs that the queue ever had. Only the difference of two such numbers has a meaning.
    package var arrived: Int
    /// The workers that reported recently.
    package var workers: [WorkerReport]

    package init(
        now: Int,
        due: [Due] = [],
        waiting: Int = 0,
        running: Int = 0,
        callbacks: Int = 0,
        arrived: Int = 0,
        workers: [WorkerReport] = [],
    ) {
        self.now = now
        self.due = due
        self.waiting = waiting
        self.running = running
        self.callbacks = callbacks
        self.arrived = arrived
        self.workers = workers
    }
}

/// A worker's report about itself.
package struct WorkerReport: Sendable, Equatable {
    /// The maximum number of its jobs in progress.
    package var slots: Int
    /// The number of its jobs in progress.
    package var running: Int
    /// The number of jobs that it finishes in a second with all slots in use; `nil` if it has not learnt it.
    package var jobsPerSecond: Double?

    /// The time for which a report counts. Workers report much more often.
    package static let lifetime = Duration.seconds(10)
    /// The rates that a worker can have. Any other value was written by another program.
    package static let sensibleRates = 0.0001...1_000_000

    package init(slots: Int, running: Int, jobsPerSecond: Double?) {
        self.slots = slots
        self.running = running
        self.jobsPerSecond = jobsPerSecond
    }
}

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

/// A queue at one moment, in numbers.
package struct QueueStatus: Sendable, Equatable {
    package var waiting = 0
    package var running = 0
    package var dead = 0
    /// Answers that are still to be posted.
    package var callbacks = 0
    /// How long the job at the front has waited: the first number to look at.
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

/// A job in a list.
package struct JobSummary: Sendable, Equatable {
    package var name: JobName
    package var isRunning: Bool
    /// Until its deadline; negative once it has passed.
    package var remaining: Duration
    package var starts: Int

    package init(name: JobName, isRunning: Bool, remaining: Duration, starts: Int) {
        self.name = name
        self.isRunning = isRunning
        self.remaining = remaining
        self.starts = starts
    }
}

/// A job that killed its workers, kept for a person to look at.
package struct DeadLetter: Sendable, Equatable {
    package var job: Job
    package var starts: Int
    /// Since it was deadLettered.
    package var age: Duration

    package init(job: Job, starts: Int, age: Duration) {
        self.job = job
        self.starts = starts
        self.age = age
    }
}

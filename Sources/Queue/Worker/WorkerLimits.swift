/// The limits of a worker's jobs, and the time that it reserves for answers.
package struct WorkerLimits: Sendable, Equatable {
    /// The maximum number of jobs in progress. Most of them wait for downloads; decoders have their own limit.
    package var slots: Int
    /// The time before a job's deadline that is reserved to send its answer. A job with less time left is answered
    /// without work.
    package var margin: Duration
    /// The maximum time of one answer. Jobs that wait together are answered one after the other, early enough for the
    /// last.
    package var answerTime: Duration
    /// The time that jobs in progress have to finish after the worker is told to stop.
    package var drainTime: Duration
    /// The maximum number of leased jobs, waiting or in progress. It is small enough to answer all of them in time, and
    /// large enough that the most urgent jobs are among them.
    package var held: Int

    package init(
        slots: Int,
        margin: Duration = .milliseconds(50),
        answerTime: Duration = .milliseconds(1),
        drainTime: Duration = .seconds(20),
        held: Int? = nil,
    ) {
        self.slots = slots
        self.margin = margin
        self.answerTime = answerTime
        self.drainTime = drainTime
        self.held = held ?? 4 * slots + 16
    }
}

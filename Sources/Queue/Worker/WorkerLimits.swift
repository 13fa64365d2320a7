/// How much a worker takes on, and how much time it keeps back.
package struct WorkerLimits: Sendable, Equatable {
    /// Jobs that are worked on at once. Most of them wait for their downloads; what decodes has limits of its own.
    package var slots: Int
    /// What is kept of a job's time for its answer to get back. A job with less than this left is answered without work.
    package var margin: Duration
    /// What one answer takes at most: jobs that wait together are answered one after the other, ahead of their time.
    package var answerTime: Duration
    /// How long jobs under way may go on when the worker is told to stop.
    package var drainTime: Duration
    /// Jobs that the worker holds, waiting ones and all: few enough to be answered in time when nothing fits any more,
    /// and enough to have the most urgent ones at hand.
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

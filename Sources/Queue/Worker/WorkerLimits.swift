package import Values

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
    /// The time that jobs in progress have to finish after the worker is told to stop. Then they go back to the queue.
    package var drainTime: Duration
    /// The time after that in which jobs are still answered that are due by then: nobody else would do better.
    package var lastTime: Duration
    /// The maximum number of leased jobs, waiting or in progress. It is small enough to answer all of them in time.
    package var held: Int
    /// The number of jobs that are leased whenever they are due: those in progress, and a few that begin next. A finished
    /// job makes room for the next one, so that a job of high priority waits for no more than these.
    package var ahead: Int { slots + max(1, min(slots, 16)) }
    /// The number of jobs that can be decoded at the same time; `nil` if the worker leases without regard to it.
    package var decoders: Int?
    /// The time left below which jobs are leased beyond those, because they need an answer in any case. Other jobs stay
    /// in the queue, where all workers see them. It is long enough to answer as many as `held`.
    package var urgentTime: Duration
    /// The lines in which tenants take turns.
    package var tenants: TenantLines

    package init(
        slots: Int,
        margin: Duration = .milliseconds(50),
        answerTime: Duration = .milliseconds(1),
        drainTime: Duration = .seconds(20),
        lastTime: Duration = .seconds(2),
        held: Int? = nil,
        decoders: Int? = nil,
        urgentTime: Duration = .seconds(5),
        tenants: TenantLines = TenantLines(),
    ) {
        self.slots = slots
        self.margin = margin
        self.answerTime = answerTime
        self.drainTime = drainTime
        self.lastTime = lastTime
        self.held = held ?? 4 * slots + 16
        self.decoders = decoders
        self.urgentTime = urgentTime
        self.tenants = tenants
    }
}

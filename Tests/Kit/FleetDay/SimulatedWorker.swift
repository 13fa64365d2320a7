import Jobs

/// A worker of a simulated day, with the jobs that it has leased: as many as it can begin soon, and those that need an
/// answer soon. Other workers cannot do these.
struct SimulatedWorker {
    /// The limits of a worker with two decoders.
    private static let limits = WorkerLimits(slots: 64, held: 4096)

    /// The second at which it starts.
    let start: Int
    private(set) var held = DueJobs()
    /// The part of a job that it may do beyond the whole ones.
    private var credit = 0.0

    init(start: Int) { self.start = start }

    /// Takes jobs from the queue as `WorkerState` does.
    mutating func lease(from queue: inout DueJobs) {
        _ = queue.move(max(0, Self.limits.ahead - held.total), to: &held)
    }

    /// Gives all jobs back to the queue.
    mutating func giveBack(to queue: inout DueJobs) { _ = held.move(.max, to: &queue) }

    /// Takes a group of jobs that are due soon. Returns `false` if there is none.
    mutating func leaseUrgent(from queue: inout DueJobs, at second: Int) -> Bool {
        let latest = second + Int(Self.limits.urgentTime.components.seconds)
        return queue.move(min(16, Self.limits.held - held.total), dueBy: latest, to: &held) > 0
    }

    /// Works for a second. Returns the numbers of jobs that were done, and of those that were answered without work,
    /// because their time was up.
    mutating func work(at second: Int, _ jobsPerSecond: Double) -> (done: Int, late: Int) {
        let late = held.remove(.max, dueBy: second)
        credit = held.total == 0 ? 0 : credit + jobsPerSecond
        let done = held.remove(Int(exactly: credit.rounded(.down)) ?? 0)
        credit -= Double(done)
        return (done, late)
    }
}

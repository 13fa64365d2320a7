import Jobs

/// The rules for the queue's answers: each job has one, in time, and it is the right one.
///
/// `@unchecked Sendable`: a run has one thread.
final class QueueChecks: @unchecked Sendable {
    private let verdict: Verdict
    private let history: History
    private let scheduler: Scheduler
    private let faults: Faults
    private let replies: ReplyChecks
    private var open: [JobName: QueueState.Entry] = [:]
    private var answered: [JobName: JobReply] = [:]
    private var posted: [JobName: Int] = [:]
    /// Returns the number of the latest attempt to post the answer to a job; `nil` if the queue has no such callback.
    var attempt: ((JobName) -> Int?)?
    private var leaseEnds: [String: Duration] = [:]
    /// The time in which a callback leaves the queue after its server took it: a request to the queue, generously.
    private static let finishing = Duration.seconds(1)

    /// The longest time from the end of a disturbance to the answers that it delayed: a lease, a request that is given up,
    /// the pauses before the next ones, and a job that runs alone.
    static let recovery = Duration.seconds(3) + .seconds(2) + .seconds(2) + .milliseconds(1200)

    init(_ verdict: Verdict, _ history: History, _ scheduler: Scheduler, _ faults: Faults, _ replies: ReplyChecks) {
        self.verdict = verdict
        self.history = history
        self.scheduler = scheduler
        self.faults = faults
        self.replies = replies
    }

    var openCount: Int { open.count }
    var answers: [JobName: JobReply] { answered }

    func accepted(_ entry: QueueState.Entry) {
        let name = entry.job.name
        verdict.require(open[name] == nil, .answeredOnce, "\(name.id) was accepted twice")
        verdict.require(answered[name] == nil, .answeredOnce, "\(name.id) was accepted after its answer")
        open[name] = entry
        look(at: name, entry.deadline)
    }

    /// Checks that a worker had the lease under which the queue did what it asked for.
    func holds(_ lease: Lease, _ entry: QueueState.Entry, _ rule: Verdict.Rule) {
        verdict.require(
            lease.fence == entry.fence,
            rule,
            "\(entry.job.id) was given away, and lease \(lease.fence) counted"
        )
        leaseEnds[lease.entry] = scheduler.now + .seconds(3)
    }

    /// Checks that no other worker has a job that is leased now.
    func leased(_ jobs: [(number: Int, entry: QueueState.Entry)], limits: QueueLimits) {
        for (number, entry) in jobs {
            let end = leaseEnds["\(number)"] ?? .zero
            verdict.require(end <= scheduler.now, .leases, "\(entry.job.id) was leased to two workers")
            leaseEnds["\(number)"] = scheduler.now + limits.leaseTime
        }
    }

    /// Checks that leases end without a renewal only if something disturbs their workers.
    func reclaimed(_ jobs: [(number: Int, entry: QueueState.Entry)]) {
        guard let entry = jobs.first?.entry else { return }
        let latest = scheduler.now - .seconds(3) - Self.recovery
        let isDisturbed = faults.disturbances.contains { $0.lowerBound <= scheduler.now && $0.upperBound >= latest }
        verdict.require(isDisturbed, .leases, "the lease of \(entry.job.id) ended, and its worker was well")
    }

    func gaveBack(_ lease: Lease) { leaseEnds[lease.entry] = nil }

    func cancelled(_ name: JobName) {
        verdict.require(answered[name] == nil, .answeredOnce, "\(name.id) was cancelled after its answer")
        open[name] = nil
        answered[name] = JobReply(.cancelled, body: [])
    }

    func answered(_ entry: QueueState.Entry, _ reply: JobReply, by worker: Machine) {
        let name = entry.job.name
        let margin = entry.deadline - scheduler.now
        history.add(scheduler.now, "queue", "\(name.id) \(reply.status.rawValue) by \(worker.name), left \(margin)")
        verdict.require(answered[name] == nil, .answeredOnce, "\(name.id) was answered twice")
        verdict.require(open.removeValue(forKey: name) != nil, .answeredOnce, "\(name.id) was not open")
        answered[name] = reply
        replies.check(reply, to: entry)
    }

    func received(_ callback: CallbackRequest, of id: String) {
        guard let (name, reply) = answered.first(where: { $0.key.id == id }) else {
            return verdict.breaks(.callbacks, "\(id) was posted and never answered")
        }
        verdict.require(reply.body == callback.body, .callbacks, "\(id) was posted with another answer")
        posted[name, default: 0] += 1
    }

    /// Checks that the callback leaves the queue now that its server said that it took it, unless something disturbs that.
    func acknowledged(_ id: String, attempt: Int) {
        guard let name = answered.keys.first(where: { $0.id == id }) else { return }
        let start = scheduler.now
        scheduler.at(start + Self.finishing) { [self] in
            let isDisturbed = faults.disturbances.contains {
                $0.lowerBound <= scheduler.now && $0.upperBound >= start
            }
            guard !isDisturbed, let known = self.attempt?(name) else { return }
            verdict.require(known != attempt, .callbacks, "\(id) was received at \(start), and is still in the queue")
        }
    }

    /// Looks at a job when it must have its answer.
    private func look(at name: JobName, _ due: Duration) {
        scheduler.at(due + .microseconds(1)) { [self] in
            guard let entry = open[name] else { return }
            let latest = latest(for: entry)
            guard scheduler.now > latest else { return look(at: name, latest) }
            verdict.breaks(.answeredInTime, "\(name.id) was due at \(entry.deadline), and at the latest at \(latest)")
        }
    }

    /// Returns the time at which the job must have its answer: its deadline, unless a disturbance delays it.
    private func latest(for entry: QueueState.Entry) -> Duration {
        var latest = entry.deadline
        for disturbance in faults.disturbances.sorted(by: { $0.lowerBound < $1.lowerBound })
        where disturbance.lowerBound <= latest && disturbance.upperBound + Self.recovery >= entry.enqueued {
            latest = max(latest, disturbance.upperBound + Self.recovery)
        }
        return latest
    }
}

import Base
import Jobs

/// The rules for one worker: the order in which its jobs begin, and the times at which it answers them.
///
/// `@unchecked Sendable`: a run has one thread.
final class WorkerChecks: @unchecked Sendable {
    private struct Held {
        var job: LeasedJob
        var taken: Duration
        var begun: Duration?
        /// The time at which the queue had counted the start, and work began.
        var started: Duration?
    }

    /// The turns of one tenant at one priority.
    private struct Line: Hashable {
        var priority: Job.Priority
        var tenant: String
    }

    private let verdict: Verdict
    private let history: History
    private let scheduler: Scheduler
    private let machine: Machine
    private var held: [Lease: Held] = [:]
    /// The limit of jobs in progress, and their number.
    private var work: (limit: Int, count: () -> Int)?
    /// The times at which the worker went on after it had stood still.
    private var lastStop = Duration.seconds(-1)

    /// The tenants that had a job here.
    private var tenants: Set<Line> = []
    /// The number of jobs of others that began since the tenant had its last turn, or began to wait.
    private var passes: [Line: Int] = [:]
    /// The last time at which a job was in progress, if none is now.
    private var lastWork = Duration.seconds(-1)

    /// The number of jobs of one other tenant that may begin while a tenant waits: the lead that urgency gives, once behind and
    /// once ahead.
    private static let passLimit = 2 * TenantTurns.lead
    /// The most by which a worker may take a deadline for later than it is, for a quick connection and clocks that drift. The
    /// worker's own margin is 50 ms.
    private static let clockError = Duration.milliseconds(40)
    /// The time that an idle worker may take to begin a job: none, but for the rounding of clocks.
    private static let idleTime = Duration.milliseconds(10)

    init(_ machine: Machine, _ verdict: Verdict, _ history: History, _ scheduler: Scheduler) {
        self.machine = machine
        self.verdict = verdict
        self.history = history
        self.scheduler = scheduler
    }

    /// The number of jobs that the worker has and did not answer.
    var heldCount: Int { held.count }

    /// Checks from now on that no more than `limit` jobs are in progress.
    func limitWork(to limit: Int, _ count: @escaping () -> Int) { work = (limit, count) }

    func stood() { lastStop = scheduler.now }

    /// Records that the worker has a job now. `due` is its deadline by the queue's clock, if that is known.
    func took(_ job: LeasedJob, due: Duration? = nil) {
        let now = scheduler.now
        history.add(now, machine.name, "took \(job.job.id), lease \(job.lease.fence), starts \(job.starts)")
        held[job.lease] = Held(job: job, taken: now)
        tenants.insert(Line(priority: job.job.priority, tenant: job.job.tenant))
        if let due {
            let error = job.deadline - machine.local(due)
            verdict.require(error <= Self.clockError, .clocks, "\(job.job.id) seems to be due \(error) too late")
        }
        let end = max(now, machine.time(of: job.deadline)) + .milliseconds(1)
        scheduler.at(end) { [weak self] in self?.look(at: job.lease, taken: now) }
    }

    /// Checks that a job has its answer when it is due, or was given back: whatever else the worker waits for.
    private func look(at lease: Lease, taken: Duration) {
        guard let entry = held[lease], entry.taken == taken, machine.state == .running, lastStop < taken else { return }
        verdict.breaks(.due, "\(entry.job.job.id) is due, and \(machine.name) does not answer it")
    }

    func gaveBack(_ lease: Lease) {
        guard let job = remove(lease)?.job else { return }
        history.add(scheduler.now, machine.name, "gave back \(job.job.id)")
    }

    func lost(_ leases: [Lease]) {
        for lease in leases {
            guard let job = remove(lease)?.job else { continue }
            history.add(scheduler.now, machine.name, "lost \(job.job.id)")
        }
    }

    /// Returns the time at which the job began, if it did.
    func started(_ lease: Lease) -> Duration? { held[lease]?.started }

    func starts(_ lease: Lease) { held[lease]?.started = scheduler.now }

    func answers(_ lease: Lease, _ status: JobReply.Status) {
        guard let entry = remove(lease) else { return }
        history.add(scheduler.now, machine.name, "answers \(entry.job.job.id) \(status.rawValue)")
        if status == .expired { checkIdle(entry) }
    }

    private func remove(_ lease: Lease) -> Held? {
        guard let entry = held.removeValue(forKey: lease) else { return nil }
        if entry.begun != nil { lastWork = scheduler.now }
        return entry
    }

    /// Checks that a job which never began did not wait while the worker had nothing to do.
    private func checkIdle(_ entry: Held) {
        let isIdle = entry.begun == nil && lastWork < entry.taken && held.values.allSatisfy { $0.begun == nil }
        let hadTime = entry.taken + Self.idleTime < scheduler.now && lastStop < entry.taken
        verdict.require(!isIdle || !hadTime, .idle, "\(entry.job.job.id) never began, and \(machine.name) was idle")
    }

    func begins(_ lease: Lease) {
        // A request that failed is sent again.
        guard let begun = held[lease], begun.begun == nil else { return }
        let now = scheduler.now
        history.add(now, machine.name, "begins \(begun.job.job.id)")
        held[lease]?.begun = now
        lastWork = now
        if let work { verdict.require(work.count() <= work.limit, .slots, "\(work.count()) jobs are in progress") }
        for (other, entry) in held where other != lease && isComparable(entry.job, begun.job) {
            checkOrder(begun, entry)
        }
        checkTurns(of: Line(priority: begun.job.job.priority, tenant: begun.job.job.tenant))
    }

    /// Checks that no other tenant waits for too many turns, now that this one has one.
    private func checkTurns(of turn: Line) {
        let now = scheduler.now
        let waiting = held.values.filter { $0.begun == nil && $0.taken < now && surelyHasTime($0.job, at: now) }
        let lines = Set(waiting.map { Line(priority: $0.job.job.priority, tenant: $0.job.job.tenant) })
        passes = passes.filter { lines.contains($0.key) || $0.key.priority != turn.priority }
        passes[turn] = nil
        let others = tenants.count { $0.priority == turn.priority } - 1
        // Those that begin together do so in any order.
        let limit = Self.passLimit * others + (work?.limit ?? 0)
        for line in lines where line.priority == turn.priority && line != turn {
            let count = passes[line, default: 0] + 1
            passes[line] = count
            verdict.require(count <= limit, .tenantsTurns, "\(line.tenant) waits while \(count) jobs of others began")
        }
    }

    private func isComparable(_ left: LeasedJob, _ right: LeasedJob) -> Bool {
        left.job.tenant == right.job.tenant && left.job.priority == right.job.priority
    }

    /// Returns whether no job may overtake that one: one with less than half of its time left may give way, and the worker
    /// takes up to a quarter for its answer.
    private func surelyHasTime(_ job: LeasedJob, at now: Duration) -> Bool {
        job.deadline - machine.local(now) >= (job.deadline - job.enqueued) * 3 / 4 + .milliseconds(50)
    }

    /// Checks that a job which begins now did not wait while a less urgent one began.
    private func checkOrder(_ late: Held, _ other: Held) {
        guard let begun = other.begun, begun < scheduler.now, late.taken < begun, lastStop < begun,
            late.job.deadline < other.job.deadline, surelyHasTime(late.job, at: begun)
        else { return }
        verdict.breaks(
            .deadlineOrder,
            "\(late.job.job.id) is due at \(late.job.deadline.sinceOrigin), and began after \(other.job.job.id), "
                + "which is due at \(other.job.deadline.sinceOrigin)",
        )
    }
}

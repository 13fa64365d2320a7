import Jobs
import Timing

/// The rules for one worker: the order in which its jobs begin.
///
/// `@unchecked Sendable`: a run has one thread.
final class WorkerChecks: @unchecked Sendable {
    private struct Held {
        var job: LeasedJob
        var taken: Duration
        var begun: Duration?
        /// The number of times that jobs of other tenants began first.
        var passes = 0
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

    /// The number of jobs of other tenants that may begin before one of a tenant that waits: the lead that urgency gives,
    /// for each of the other tenants, once behind and once ahead.
    private static let passLimit = 3 * 2 * TenantTurns.lead

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

    func took(_ job: LeasedJob) {
        history.add(scheduler.now, machine.name, "took \(job.job.id), lease \(job.lease.fence), starts \(job.starts)")
        held[job.lease] = Held(job: job, taken: scheduler.now)
    }

    func gaveBack(_ lease: Lease) {
        guard let job = held.removeValue(forKey: lease)?.job else { return }
        history.add(scheduler.now, machine.name, "gave back \(job.job.id)")
    }

    func lost(_ leases: [Lease]) {
        for lease in leases {
            guard let job = held.removeValue(forKey: lease)?.job else { continue }
            history.add(scheduler.now, machine.name, "lost \(job.job.id)")
        }
    }

    func answers(_ lease: Lease, _ status: JobReply.Status) {
        guard let job = held.removeValue(forKey: lease)?.job else { return }
        history.add(scheduler.now, machine.name, "answers \(job.job.id) \(status.rawValue)")
    }

    func begins(_ lease: Lease) {
        // A request that failed is sent again.
        guard let begun = held[lease], begun.begun == nil else { return }
        let now = scheduler.now
        history.add(now, machine.name, "begins \(begun.job.job.id)")
        held[lease]?.begun = now
        if let work { verdict.require(work.count() <= work.limit, .slots, "\(work.count()) jobs are in progress") }
        for (other, entry) in held where other != lease && isComparable(entry.job, begun.job) {
            checkOrder(begun, entry)
        }
        for other in held.keys where held[other]?.begun == nil {
            guard let entry = held[other], entry.job.job.priority == begun.job.job.priority, entry.taken < now,
                entry.job.job.tenant != begun.job.job.tenant
            else { continue }
            held[other]?.passes += 1
            verdict.require(
                entry.passes < Self.passLimit,
                .tenantsTurns,
                "\(entry.job.job.id) of \(entry.job.job.tenant) waits while \(entry.passes) jobs of others began",
            )
        }
    }

    private func isComparable(_ left: LeasedJob, _ right: LeasedJob) -> Bool {
        left.job.tenant == right.job.tenant && left.job.priority == right.job.priority
    }

    /// Checks that a job which begins now did not wait while a less urgent one began.
    private func checkOrder(_ late: Held, _ other: Held) {
        guard let begun = other.begun, begun < scheduler.now, late.taken < begun, lastStop < begun,
            late.job.deadline < other.job.deadline
        else { return }
        verdict.breaks(
            .deadlineOrder,
            "\(late.job.job.id) is due at \(late.job.deadline.sinceOrigin), and began after \(other.job.job.id), "
                + "which is due at \(other.job.deadline.sinceOrigin)",
        )
    }
}

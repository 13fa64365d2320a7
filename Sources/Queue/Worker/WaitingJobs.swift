import Jobs
import Media
import Timing
import Values

/// The waiting jobs in the order in which they begin: by priority, then in turns of their tenants, then by deadline.
struct WaitingJobs {
    /// The jobs of one priority.
    private struct Line {
        var tenants: [String: DeadlineOrder] = [:]
        var turns: TenantTurns

        var first: Lease? {
            turns.next(among: tenants.compactMapValues(\.first)).flatMap { tenants[$0]?.first?.lease }
        }
    }

    private var lines: [Line]
    private var all = DeadlineOrder()

    init(_ tenants: TenantLines = TenantLines()) {
        lines = .init(repeating: Line(turns: TenantTurns(tenants)), count: Job.Priority.allCases.count)
    }

    /// The job that begins next.
    var first: Lease? {
        for line in lines { if let first = line.first { return first } }
        return nil
    }

    /// The earliest deadline and its job.
    var soonest: (deadline: Instant, lease: Lease)? { all.first.map { ($0.deadline, $0.lease) } }

    var count: Int { all.count }

    /// Returns the number of jobs that may have to be answered together with the soonest, if each answer takes
    /// `answerTime`: those that are due before all of them could be answered one after the other.
    func crowd(answerTime: Duration) -> Int {
        all.first.map { all.count(dueBy: $0.deadline + answerTime * all.count) } ?? 0
    }

    /// The most tenants of a priority that are told to the queue.
    private static let tenantLimit = 256

    /// The tenants that wait, by priority.
    var tenants: [Job.Priority: Set<String>] {
        var found: [Job.Priority: Set<String>] = [:]
        for priority in Job.Priority.allCases {
            let names = lines[priority.rawValue].tenants.keys
            if !names.isEmpty { found[priority] = Set(names.prefix(Self.tenantLimit)) }
        }
        return found
    }

    /// All leases, earliest deadline first.
    var leases: [Lease] { all.leases }

    mutating func insert(_ job: LeasedJob) {
        let entry = DeadlineOrder.Entry(job)
        all.insert(entry)
        lines[job.job.priority.rawValue].tenants[job.job.tenant, default: DeadlineOrder()].insert(entry)
    }

    mutating func remove(_ job: LeasedJob) {
        let (entry, tenant) = (DeadlineOrder.Entry(job), job.job.tenant)
        all.remove(entry)
        let priority = job.job.priority.rawValue
        lines[priority].tenants[tenant]?.remove(entry)
        if lines[priority].tenants[tenant]?.count == 0 { lines[priority].tenants[tenant] = nil }
    }

    /// Removes a job that begins, which is a turn of its tenant.
    mutating func begin(_ job: LeasedJob) {
        remove(job)
        lines[job.job.priority.rawValue].turns.record(job.job.tenant)
    }

    mutating func removeAll() {
        all = DeadlineOrder()
        for priority in lines.indices { lines[priority].tenants = [:] }
    }
}

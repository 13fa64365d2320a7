import Base
import GRDB
import Jobs

// Leases of waiting jobs. Tenants take turns, and the jobs of each go by their deadlines.
extension JobTables {
    /// The most tenants among which one lease chooses. If more wait, the next lease begins after the last one of them.
    private static let tenantLimit = 256

    mutating func lease(_ limit: Int, only extra: ExtraJobs?) throws -> [LeasedJob] {
        var jobs: [LeasedJob] = []
        for priority in Job.Priority.allCases where jobs.count < limit {
            jobs += try lease(limit - jobs.count, priority, besides: extra.map { $0.tenants[priority] ?? [] })
        }
        guard let extra else { return jobs }
        let latest = clock.now + extra.dueWithin.milliseconds
        for priority in Job.Priority.allCases where jobs.count < limit {
            jobs += try lease(
                """
                SELECT seq FROM job WHERE state = 0 AND priority = ?3 AND deadline <= ?4 ORDER BY deadline, seq LIMIT ?2
                """,
                [leaseEnd, limit - jobs.count, priority.rawValue, latest]
            )
        }
        return jobs
    }

    /// Leases jobs in turns. With `others`, leases one job of each tenant besides these.
    private mutating func lease(
        _ limit: Int,
        _ priority: Job.Priority,
        besides others: Set<String>?,
    ) throws -> [LeasedJob] {
        let waiting = try waitingTenants(priority)
        guard waiting.count != 1 || others != nil else {
            let jobs = try lease(
                "SELECT seq FROM job WHERE state = 0 AND priority = ?3 ORDER BY deadline, seq LIMIT ?2",
                [leaseEnd, limit, priority.rawValue]
            )
            for job in jobs { turns.taken[priority.rawValue].record(job.job.tenant) }
            return jobs
        }
        let taken = turns.taken[priority.rawValue]
        // The worker has jobs of these lines already.
        let lines = Set((others ?? []).map(taken.line))
        let wanted = others.map { _ in waiting.filter { !lines.contains(taken.line(of: $0.key)) } }
        let chosen = try choose(limit, priority, among: wanted ?? waiting, onceEach: wanted != nil)
        guard !chosen.isEmpty else { return [] }
        let list = chosen.map { String($0.number) }.joined(separator: ",")
        let jobs = try lease("SELECT value FROM json_each(?2)", [leaseEnd, "[\(list)]"])
        let order = Dictionary(uniqueKeysWithValues: chosen.enumerated().map { (String($1.number), $0) })
        return jobs.sorted { order[$0.lease.entry] ?? 0 < order[$1.lease.entry] ?? 0 }
    }

    /// The first job of a tenant.
    private struct Head: Comparable {
        var deadline: Int
        var number: Int

        init(_ row: Row) throws {
            deadline = try row.value("deadline")
            number = try row.value("seq")
        }

        static func < (left: Head, right: Head) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    /// Returns the tenants with waiting jobs and their most urgent jobs, each with one step in the index.
    private mutating func waitingTenants(_ priority: Job.Priority) throws -> [String: Head] {
        var found: [String: Head] = [:]
        let start = turns.lastTenants[priority.rawValue]
        var last = start
        var hasWrapped = start.isEmpty
        while found.count < Self.tenantLimit {
            let row = try database.row(
                """
                SELECT tenant, deadline, seq FROM job INDEXED BY job_turn
                WHERE state = 0 AND priority = ? AND tenant > ? ORDER BY tenant, deadline, seq LIMIT 1
                """,
                [priority.rawValue, last]
            )
            if let row {
                last = try row.value("tenant")
                found[last] = try Head(row)
                if hasWrapped, last >= start, !start.isEmpty { break }
            } else {
                guard !hasWrapped else { break }
                (last, hasWrapped) = ("", true)
            }
        }
        turns.lastTenants[priority.rawValue] = found.count < Self.tenantLimit ? "" : last
        // Invented names must not delay the tenants that have their own lines.
        for tenant in turns.taken[priority.rawValue].owners
        where found.count >= Self.tenantLimit && found[tenant] == nil {
            found[tenant] = try head(of: tenant, priority)
        }
        return found
    }

    /// Returns the most urgent job of a tenant, or the one after `head`.
    private func head(of tenant: String, _ priority: Job.Priority, after head: Head? = nil) throws -> Head? {
        try database.row(
            """
            SELECT deadline, seq FROM job INDEXED BY job_turn
            WHERE state = 0 AND priority = ? AND tenant = ? AND (deadline, seq) > (?, ?)
            ORDER BY deadline, seq LIMIT 1
            """,
            [priority.rawValue, tenant, head?.deadline ?? .min, head?.number ?? .min]
        )
        .map { try Head($0) }
    }

    private mutating func choose(
        _ limit: Int,
        _ priority: Job.Priority,
        among tenants: [String: Head],
        onceEach: Bool,
    ) throws -> [Head] {
        var waiting = tenants
        var chosen: [Head] = []
        while chosen.count < limit, let tenant = turns.taken[priority.rawValue].next(among: waiting),
            let head = waiting[tenant]
        {
            chosen.append(head)
            turns.taken[priority.rawValue].record(tenant)
            guard !onceEach else {
                let line = turns.taken[priority.rawValue].line(of: tenant)
                waiting = waiting.filter { turns.taken[priority.rawValue].line(of: $0.key) != line }
                continue
            }
            waiting[tenant] = try self.head(of: tenant, priority, after: head)
        }
        return chosen
    }

    func reclaim(_ limit: Int) throws -> [LeasedJob] {
        try lease(
            "SELECT seq FROM job WHERE state = 1 AND lease_until <= ?3 ORDER BY lease_until LIMIT ?2",
            [leaseEnd, limit, clock.now]
        )
    }

    private var leaseEnd: Int { clock.now + limits.leaseTime.milliseconds }

    private func lease(_ chosen: String, _ arguments: StatementArguments) throws -> [LeasedJob] {
        let rows = try database.rows(
            "UPDATE job SET state = 1, attempt = attempt + 1, lease_until = ?1 WHERE seq IN (\(chosen)) RETURNING *",
            arguments
        )
        // RETURNING does not define an order.
        return try rows.map { try $0.leasedJob(clock) }.sorted {
            ($0.job.priority.rawValue, $0.deadline, $0.lease.entry)
                < ($1.job.priority.rawValue, $1.deadline, $1.lease.entry)
        }
    }
}

// MARK: - Turns

/// The turns of tenants at this queue's leases. They are not in the file: after a restart, all tenants begin anew.
struct Turns: Sendable {
    /// The turns for each priority.
    var taken: [TenantTurns]
    /// For each priority, the last tenant that a lease looked at if more wait than one lease looks at; otherwise empty.
    var lastTenants = [String](repeating: "", count: Job.Priority.allCases.count)

    init(_ lines: TenantLines) { taken = .init(repeating: TenantTurns(lines), count: Job.Priority.allCases.count) }
}

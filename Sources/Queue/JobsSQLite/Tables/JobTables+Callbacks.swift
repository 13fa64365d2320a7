import GRDB
import Jobs
import Media
import Timing

extension JobTables {
    /// Leases due callbacks. A leased callback is due again at the end of its lease.
    func leaseCallbacks(_ limit: Int) throws -> [LeasedCallback] {
        let now = clock.now
        let rows = try database.rows(
            """
            UPDATE outbox SET attempt = attempt + 1, due = ?1
            WHERE seq IN (SELECT seq FROM outbox WHERE due <= ?2 ORDER BY due LIMIT ?3) RETURNING *
            """,
            [now + limits.callbackTime.milliseconds, now, limit]
        )
        return try rows.map { try $0.leasedCallback(clock) }
    }

    mutating func finishCallback(_ lease: Lease) throws {
        let posted = try database.row(
            "DELETE FROM outbox WHERE seq = ? AND attempt = ? RETURNING tenant, length(body) AS bytes",
            [Int(lease.entry), lease.fence]
        )
        guard let posted else { return }
        changes.add(-1, of: limits.shares.line(of: try posted.value("tenant")))
        changes.answerBytes -= try posted.value("bytes") as Int
    }

    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) throws {
        // A new fence ends the lease. If no attempt was made, the fence goes back, so that the lease is not counted.
        try database.change(
            "UPDATE outbox SET attempt = attempt + ?, failures = failures + ?, due = ? WHERE seq = ? AND attempt = ?",
            [isFailure ? 1 : -1, isFailure ? 1 : 0, clock.now + delay.milliseconds, Int(lease.entry), lease.fence]
        )
    }
}

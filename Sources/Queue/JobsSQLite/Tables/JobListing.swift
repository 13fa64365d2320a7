import GRDB
import Jobs

/// Read-only queries of a queue's file for inspection, which another process than the owner may run, too. They do not
/// scan the waiting jobs, which may be many, except to count them.
struct JobListing {
    let database: Database
    /// The current time, in milliseconds since 1970.
    let now: Int

    func status() throws -> QueueStatus {
        // Entries have rising numbers, so the first waiting one has waited longest.
        let oldest = try database.row("SELECT enqueued FROM job NOT INDEXED WHERE state = 0 ORDER BY seq LIMIT 1")
        return QueueStatus(
            waiting: try database.count("SELECT count(*) FROM job WHERE state = 0"),
            running: try database.count("SELECT count(*) FROM job WHERE state = 1"),
            dead: try database.count("SELECT count(*) FROM dead"),
            callbacks: try database.count("SELECT count(*) FROM outbox"),
            oldestWaiting: try oldest.map { .milliseconds(max(0, now - (try $0.milliseconds("enqueued")))) },
        )
    }

    /// Returns open jobs, earliest deadline first. Reads each part through its index and merges the parts.
    func jobs(_ limit: Int) throws -> [JobSummary] {
        let columns = "SELECT tenant, id, state, starts, deadline FROM job"
        var rows = try database.rows("\(columns) WHERE state = 1")
        for priority in Job.Priority.allCases {
            rows += try database.rows(
                "\(columns) WHERE state = 0 AND priority = ? ORDER BY deadline LIMIT ?",
                [priority.rawValue, limit]
            )
        }
        let jobs = try rows.map { row in
            JobSummary(
                name: try row.name(),
                isRunning: try row.value("state") == 1,
                remaining: .milliseconds(try row.milliseconds("deadline") - now),
                starts: try row.count("starts"),
            )
        }
        return Array(jobs.sorted { $0.remaining < $1.remaining }.prefix(limit))
    }

    func state(of name: JobName) throws -> JobState {
        let job = try database.row("SELECT state FROM job WHERE tenant = ? AND id = ?", [name.tenant, name.id])
        if let job { return try job.value("state") == 0 ? .waiting : .running }
        return try reply(to: name).map(JobState.finished) ?? .unknown
    }

    /// Returns the answer to a job, or `nil` if it is no longer kept.
    func reply(to name: JobName) throws -> JobReply? {
        try database.row(
            "SELECT status, body FROM reply WHERE tenant = ? AND id = ? AND expires > ?",
            [name.tenant, name.id, now]
        )?.reply()
    }

    func deadLetters(_ limit: Int) throws -> [DeadLetter] {
        try database.rows("SELECT * FROM dead ORDER BY seq DESC LIMIT ?", [limit]).map { row in
            DeadLetter(
                job: try row.job(),
                starts: try row.count("starts"),
                age: .milliseconds(max(0, now - (try row.milliseconds("buried")))),
            )
        }
    }
}

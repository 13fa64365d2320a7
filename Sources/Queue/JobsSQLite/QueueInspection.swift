import Base
import FoundationEssentials
import GRDB
package import Jobs
import Media

/// A reader of a queue's file that another process works with. It does not write. Each query is short, because a long
/// one would delay the owner's checkpoints.
package struct QueueInspection: QueueListing {
    private let connection: DatabaseQueue

    /// Opens the file for reading. Throws `misconfigured` if it does not exist.
    package init(_ path: String) throws(JobQueueError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw JobQueueError(.misconfigured, "There is no queue at \(path).")
        }
        try QueueFiles(path: path).check()
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            connection = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw JobQueueError(error)
        }
    }

    package func status() async throws -> QueueStatus { try await look { try $0.status() } }

    package func jobs(_ limit: Int) async throws -> [JobSummary] { try await look { try $0.jobs(limit) } }

    package func state(of name: JobName) async throws -> JobState { try await look { try $0.state(of: name) } }

    package func deadLetters(_ limit: Int) async throws -> [DeadLetter] {
        try await look { try $0.deadLetters(limit) }
    }

    private func look<Value: Sendable>(_ look: @escaping @Sendable (JobListing) throws -> Value) async throws -> Value {
        let now = UnixClock(SystemTime()).now
        do {
            return try await connection.read { try look(JobListing(database: $0, now: now)) }
        } catch {
            throw JobQueueError(error)
        }
    }
}

// MARK: - Queries

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

extension JobListing {
    /// Counts the work of the queue. Reads each waiting job once in an index.
    func load() throws -> QueueLoad {
        var (due, count, last) = ([QueueLoad.Due](), 0, 0)
        for horizon in QueueLoad.horizons {
            let end = now + horizon.milliseconds
            for priority in Job.Priority.allCases {
                count += try database.count(
                    """
                    SELECT count(*) FROM job INDEXED BY job_waiting
                    WHERE state = 0 AND priority = ? AND deadline > ? AND deadline <= ?
                    """,
                    [priority.rawValue, last, end]
                )
            }
            last = end
            due.append(QueueLoad.Due(within: horizon, count: count))
        }
        let status = try status()
        return QueueLoad(
            now: now,
            due: due,
            waiting: status.waiting,
            running: status.running,
            callbacks: status.callbacks,
            // Entries have rising numbers that are never used again.
            arrived: try database.count("SELECT seq FROM sqlite_sequence WHERE name = 'job'"),
        )
    }
}

import GRDB
import Jobs
import Timing

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

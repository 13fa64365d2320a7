import Dispatch
import Foundation
import GRDB
package import Jobs
import Media
import Timing

/// A reader of a queue's file that another process works with. It does not write. Each query is short, because a long
/// one would delay the owner's checkpoints.
package struct QueueInspection: Sendable {
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

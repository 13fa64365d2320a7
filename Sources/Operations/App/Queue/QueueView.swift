package import Settings
package import Jobs
import JobsSQLite
import Logging

/// A queue for listing and repair by commands. If another attachd process has the file open, the view is read-only.
package struct QueueView: Sendable {
    private enum Backend: Sendable {
        case queue(OpenQueue)
        case file(QueueInspection)
    }

    private let backend: Backend

    /// Opens the queue. Commands that change jobs set `changes`, and need the file for themselves.
    package static func open(_ settings: Settings, changes: Bool) async throws -> QueueView {
        if case .sqlite(let path) = settings.queue, !changes {
            return QueueView(backend: .file(try QueueInspection(path)))
        }
        return QueueView(backend: .queue(try await OpenQueue.open(settings, logger: Logger(label: "attachd"))))
    }

    package func status() async throws -> QueueStatus {
        switch backend {
        case .queue(let queue): try await queue.jobs.status()
        case .file(let file): try await file.status()
        }
    }

    package func jobs(_ limit: Int) async throws -> [JobSummary] {
        switch backend {
        case .queue(let queue): try await queue.jobs.jobs(limit)
        case .file(let file): try await file.jobs(limit)
        }
    }

    package func deadLetters(_ limit: Int) async throws -> [DeadLetter] {
        switch backend {
        case .queue(let queue): try await queue.jobs.deadLetters(limit)
        case .file(let file): try await file.deadLetters(limit)
        }
    }

    package func state(of name: JobName) async throws -> JobState {
        switch backend {
        case .queue(let queue): try await queue.jobs.state(of: name, waiting: .zero)
        case .file(let file): try await file.state(of: name)
        }
    }

    /// Enqueues a dead letter again. Returns `nil` if there is no such dead letter.
    package func retry(_ name: JobName) async throws -> Enqueued? {
        try await changeable().retryDeadLetter(name)
    }

    /// Deletes all dead letters, and returns their number.
    package func purge() async throws -> Int { try await changeable().purgeDeadLetters() }

    package func shutDown() async {
        if case .queue(let queue) = backend { await queue.shutDown() }
    }

    private func changeable() throws(JobQueueError) -> any JobQueue {
        guard case .queue(let queue) = backend else {
            throw JobQueueError(.misconfigured, "The queue is open for reading only.")
        }
        return queue.jobs
    }
}

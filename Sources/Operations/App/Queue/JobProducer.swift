package import Settings
package import Jobs
import JobsSQLite
import Logging

/// The destination of jobs from the command line: the queue itself, or the attachd process that has its file open.
package struct JobProducer: Sendable {
    private enum Backend: Sendable {
        case queue(OpenQueue)
        case sidecar(SidecarClient)
        /// The path of a queue's file that this process does not have open any more.
        case file(String)
    }

    private var backend: Backend

    package static func open(_ settings: Settings) async throws -> JobProducer {
        do {
            return JobProducer(backend: .queue(try await OpenQueue.open(settings, logger: Logger(label: "attachd"))))
        } catch let error as JobQueueError where error.reason == .inUse {
            return JobProducer(backend: .sidecar(try SidecarClient(settings)))
        }
    }

    package func enqueue(_ job: Job) async throws -> Enqueued {
        switch backend {
        case .queue(let queue): try await queue.jobs.enqueue(job)
        case .sidecar(let sidecar): try await sidecar.enqueue(job)
        case .file: throw JobQueueError(.misconfigured, "The queue is open for reading only.")
        }
    }

    /// Ends enqueueing. Closes a queue's file, because only one process can have it open, and the answers come from a
    /// worker.
    package mutating func finishEnqueueing(_ settings: Settings) async {
        guard case .queue(let queue) = backend, case .sqlite(let path) = settings.queue else { return }
        await queue.shutDown()
        backend = .file(path)
    }

    /// Returns the state of a job. Waits up to the given time for its answer, but not for one in a file.
    package func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        switch backend {
        case .queue(let queue): try await queue.jobs.state(of: name, waiting: patience)
        case .sidecar(let sidecar): try await sidecar.state(of: name, waiting: patience)
        case .file(let path): try await QueueInspection(path).state(of: name)
        }
    }

    /// The number of workers that reported to the queue lately; `nil` if that is not known.
    package var workerCount: Int? {
        get async {
            guard case .queue(let queue) = backend else { return nil }
            return try? await queue.jobs.load().load.workers.count
        }
    }

    package func shutDown() async {
        switch backend {
        case .queue(let queue): await queue.shutDown()
        case .sidecar(let sidecar): sidecar.shutDown()
        case .file: break
        }
    }
}

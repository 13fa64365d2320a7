package import Settings
package import Jobs
import JobsSQLite
import Logging
import Timing

/// The destination of jobs from the command line: the queue itself, or the attachd process that has its file open.
package struct JobProducer: Sendable {
    private enum Backend: Sendable {
        case queue(OpenQueue)
        case sidecar(SidecarClient)
        /// The path of a queue's file that this process does not have open any more.
        case file(String)
    }

    private var backend: Backend
    private let time = SystemTime()

    /// The time between two looks into a file.
    private static let interval: Duration = .milliseconds(200)

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

    package func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        switch backend {
        case .queue(let queue): try await queue.jobs.state(of: name, waiting: patience)
        case .sidecar(let sidecar): try await sidecar.state(of: name, waiting: patience)
        case .file(let path): try await state(of: name, in: path, waiting: patience)
        }
    }

    /// Returns the state of a job in a file that another process may open, change or replace at any time.
    private func state(of name: JobName, in path: String, waiting patience: Duration) async throws -> JobState {
        let end = time.now + patience
        while true {
            let state = try await QueueInspection(path).state(of: name)
            guard state == .waiting || state == .running, time.now < end else { return state }
            try await time.sleep(until: min(end, time.now + Self.interval))
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

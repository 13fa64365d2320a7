package import Settings
package import Jobs
import Logging

/// The destination of jobs from the command line: the queue itself, or the attachd process that has its file open.
package struct JobProducer: Sendable {
    private enum Backend: Sendable {
        case queue(OpenQueue)
        case sidecar(SidecarClient)
    }

    private let backend: Backend

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
        }
    }

    package func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        switch backend {
        case .queue(let queue): try await queue.jobs.state(of: name, waiting: patience)
        case .sidecar(let sidecar): try await sidecar.state(of: name, waiting: patience)
        }
    }

    package func shutDown() async {
        if case .queue(let queue) = backend { await queue.shutDown() }
    }
}

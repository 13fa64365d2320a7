import Base
import Jobs

/// A worker that answers each job at once, and prints `finished ID`.
struct EchoWorker {
    let queue: any JobQueue

    func run() async throws {
        let limits = WorkerLimits(slots: 4)
        try await WorkerService(
            queue: queue,
            handler: Echo(),
            limits: limits,
            recorder: Announcement()
        ).run()
    }
}

/// A recorder that prints each answered job.
private struct Announcement: EventRecorder {
    func record(_ event: WorkerEvent) {
        if case .answered(let name, .ok, _, _) = event { say("finished \(name.id)") }
    }
}

/// A handler that answers each job with its name.
private struct Echo: JobHandler {
    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        JobReply(.ok, body: [UInt8](job.job.id.utf8))
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply { JobReply(status, body: []) }
}

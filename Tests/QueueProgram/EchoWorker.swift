import Events
import Foundation
import Jobs
import Timing
import Worker

/// A worker that answers each job at once, and prints `finished ID`.
struct EchoWorker {
    let queue: any JobQueue
    /// A Boolean value that indicates whether each answer is a different one, even for the same job.
    var numbersAnswers = false

    func run() async throws {
        let limits = WorkerLimits(slots: 4)
        try await WorkerService(
            queue: queue,
            handler: Echo(numbersAnswers: numbersAnswers),
            limits: limits,
            instrument: Announcement()
        ).run()
    }
}

/// An instrument that prints each answered job.
private struct Announcement: Instrument {
    func record(_ event: WorkerEvent) {
        if case .answered(let name, .ok, _, _) = event { say("finished \(name.id)") }
    }
}

/// A handler that answers each job with its name, followed by the process and the number of the answer on request.
private struct Echo: JobHandler {
    let numbersAnswers: Bool
    private let answers = Counter()

    init(numbersAnswers: Bool) { self.numbersAnswers = numbersAnswers }

    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        let number = numbersAnswers ? " \(ProcessInfo.processInfo.processIdentifier) \(answers.next())" : ""
        return JobReply(.ok, body: [UInt8]((job.job.id + number).utf8))
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply { JobReply(status, body: []) }
}

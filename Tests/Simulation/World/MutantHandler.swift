import Concurrency
import Jobs
import Timing
import Worker

/// The handler of jobs with one of the deliberate breaks.
struct MutantHandler: JobHandler {
    let jobs: NotificationJobs
    let store: SimulatedStore
    let mutant: Mutant?

    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        if mutant == .waitsForever {
            _ = Task.detached { [store] in
                _ = await OneShot<Void>().value()
                _ = store
            }
        }
        return changed(await jobs.answer(job, until: deadline))
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        changed(jobs.answerWithoutWork(job, status))
    }

    private func changed(_ reply: JobReply) -> JobReply {
        guard mutant == .changesPayload else { return reply }
        let text = String(decoding: reply.body, as: UTF8.self).replacing("\"badge\":1.50", with: "\"badge\":1.5")
        return JobReply(reply.status, body: Array(text.utf8))
    }
}

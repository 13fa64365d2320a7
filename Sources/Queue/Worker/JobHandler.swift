package import Jobs
import Media
package import Timing

/// Who does the work of jobs: for attachd the notification service, in tests a script.
package protocol JobHandler: Sendable {
    /// The answer to a job, by `deadline`. Cancelled when nobody wants it any more; what comes back then goes nowhere.
    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply

    /// The answer to a job that nothing is done for, with that status: `expired`, `original` or `poison`. Quick.
    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply
}

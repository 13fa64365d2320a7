package import Jobs
import Media
package import Timing

/// The code that does the work of jobs: in attachd the notification service, in tests a script.
package protocol JobHandler: Sendable {
    /// Returns the answer to a job by `deadline`. The worker cancels the call when it no longer needs the answer.
    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply

    /// Returns the answer to a job without working on it. `status` is `expired`, `original` or `poison`. Must return
    /// quickly.
    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply
}

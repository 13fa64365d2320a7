package import Base
import Media
import Payloads
package import Processing
import Synchronization

/// The code that does the work of jobs: in attachd the notification service, in tests a script.
package protocol JobHandler: Sendable {
    /// Returns the answer to a job by `deadline`. The worker cancels the call when it no longer needs the answer.
    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply

    /// Returns the answer to a job without working on it. `status` is `expired`, `original` or `poison`. Must return
    /// quickly.
    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply
}

/// A job handler that passes jobs to the notification service.
package struct NotificationJobs: JobHandler {
    private let service: NotificationService
    /// Receives each job that begins, for the preview.
    private let onJob: @Sendable (Job) -> Void
    /// Called before each job.
    private let beforeJob: @Sendable () async -> Void
    private let running = RunningJobs()

    package init(
        service: NotificationService,
        onJob: @escaping @Sendable (Job) -> Void = { _ in },
        beforeJob: @escaping @Sendable () async -> Void = {},
    ) {
        self.service = service
        self.onJob = onJob
        self.beforeJob = beforeJob
    }

    package func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        onJob(job.job)
        await beforeJob()
        do throws(RequestError) {
            let work = RunningJobs.Work(request: try read(job), report: AnswerReport())
            running[job] = work
            // A stopped job may be answered still, for lack of time.
            defer { if !Task.isCancelled { running[job] = nil } }
            let (accepted, timeLimit) = Self.time(of: job, until: deadline)
            let result = await AnswerReport.$current.withValue(work.report) {
                await service.process(work.request, accepted: accepted, within: timeLimit)
            }
            return JobReply(result.outcome.status, body: result.json)
        } catch {
            return Self.failure(error, job)
        }
    }

    package func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        do throws(RequestError) {
            let work = running[job]
            running[job] = nil
            let request = if let work { work.request } else { try read(job) }
            let (accepted, timeLimit) = Self.time(of: job, until: job.deadline)
            let failure = status == .poison ? Self.poison : nil
            let result = AnswerReport.$current.withValue(work?.report) {
                service.decline(request, accepted: accepted, within: timeLimit, because: failure)
            }
            return JobReply(status, body: result.json)
        } catch {
            return Self.failure(error, job)
        }
    }

    /// Reads the request to the service that a job contains.
    private func read(_ job: LeasedJob) throws(RequestError) -> ProcessingRequest {
        let envelope = try NotificationEnvelope(job.job.content, isJob: true)
        var options = envelope.options
        options.identifier = options.identifier ?? job.job.id
        // The queue knows the deadline, and also the tenant of an entry whose envelope does not name it.
        options.tenant = job.job.tenant
        options.timeLimit = nil
        return try service.read(.value(envelope.payload), options: options)
    }

    /// Returns the time that a job has. It is bounded: some queues let producers give a job more time than a notification
    /// may have.
    private static func time(of job: LeasedJob, until deadline: Instant) -> (accepted: Instant, limit: Duration) {
        let accepted = max(job.enqueued, deadline - NotificationService.longestTimeLimit)
        return (accepted, max(deadline - accepted, .milliseconds(1)))
    }

    private static let poison = AttachmentFailure(
        .decode,
        .internalError,
        "The worker died every time it processed this job. The job is now a dead letter. "
            + "List them with `attachd jobs dead`.",
    )

    /// Returns the answer to a job that is not a valid envelope or payload, in the same form as over HTTP (RFC 9457).
    private static func failure(_ error: RequestError, _ job: LeasedJob) -> JobReply {
        let problem = JSONValue.object([
            .init("id", .string(job.job.id)),
            .init("title", "The job is not valid."),
            .init("detail", .string(error.description)),
        ])
        return JobReply(.failed, body: problem.compactBytes)
    }
}

/// The jobs that are worked on, and some that were stopped. An answer for lack of time reads none of them again.
private final class RunningJobs: Sendable {
    struct Work: Sendable {
        var request: ProcessingRequest
        var report: AnswerReport
    }

    private let jobs = Mutex(BoundedTable<Lease, Work>(entryLimit: 1024))

    subscript(job: LeasedJob) -> Work? {
        get { jobs.withLock { $0[job.lease] } }
        set {
            jobs.withLock { jobs in
                if let newValue { jobs.insert(newValue, for: job.lease) } else { jobs.remove(job.lease) }
            }
        }
    }
}

extension ProcessingResult.Outcome {
    fileprivate var status: JobReply.Status {
        switch self {
        case .complete: .ok
        case .degraded: .degraded
        case .original: .original
        }
    }
}

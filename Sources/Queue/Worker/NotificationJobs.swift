package import Jobs
import Media
import Payloads
package import Processing
import Synchronization
package import Timing

/// A job handler that passes jobs to the notification service.
package struct NotificationJobs: JobHandler {
    private let service: NotificationService
    /// Receives each job that begins, for the preview.
    private let onJob: @Sendable (Job) -> Void
    private let reports = Reports()

    package init(service: NotificationService, onJob: @escaping @Sendable (Job) -> Void = { _ in }) {
        self.service = service
        self.onJob = onJob
    }

    package func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        onJob(job.job)
        do throws(RequestError) {
            let order = try Order(job, until: deadline)
            let result = try await reports.reporting(job) { () async throws(RequestError) in
                try await service.process(order.payload, options: order.options, accepted: order.accepted)
            }
            return JobReply(result.outcome.status, body: result.json)
        } catch {
            return Self.failure(error, job)
        }
    }

    package func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        do throws(RequestError) {
            let order = try Order(job, until: job.deadline)
            let result = try AnswerReport.$current.withValue(reports[job]) {
                Result { () throws(RequestError) in
                    try service.decline(
                        order.payload,
                        options: order.options,
                        accepted: order.accepted,
                        because: status == .poison ? Self.poison : nil,
                    )
                }
            }
            .get()
            return JobReply(status, body: result.json)
        } catch {
            return Self.failure(error, job)
        }
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

    /// The reports of the jobs that are worked on.
    private final class Reports: Sendable {
        private let reports = Mutex<[Lease: AnswerReport]>([:])

        subscript(job: LeasedJob) -> AnswerReport? { reports.withLock { $0[job.lease] } }

        func reporting<Value>(
            _ job: LeasedJob,
            _ work: () async throws(RequestError) -> Value,
        ) async throws(RequestError) -> Value {
            let report = AnswerReport()
            reports.withLock { $0[job.lease] = report }
            defer { reports.withLock { $0[job.lease] = nil } }
            return try await AnswerReport.$current.withValue(report) { () async -> Result<Value, RequestError> in
                do throws(RequestError) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            .get()
        }
    }

    /// The request to the service that a job contains.
    private struct Order {
        var payload: PayloadSource
        var options: NotificationService.Options
        var accepted: Instant

        init(_ job: LeasedJob, until deadline: Instant) throws(RequestError) {
            let envelope = try NotificationEnvelope(job.job.content, isJob: true)
            payload = .value(envelope.payload)
            options = envelope.options
            options.identifier = options.identifier ?? job.job.id
            // The queue knows the tenant, also of an entry whose envelope names none.
            options.tenant = job.job.tenant
            // Bounds the time: some queues let producers give a job more time than a notification may have.
            accepted = max(job.enqueued, deadline - NotificationService.longestTimeLimit)
            options.timeLimit = max(deadline - accepted, .milliseconds(1))
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

package import Base

/// A notification to process, its envelope, and its deadline.
package struct Job: Sendable, Equatable {
    /// The urgency of a job. Among jobs of equal priority, workers lease the earliest deadline first.
    package enum Priority: Int, Sendable, CaseIterable {
        case high, low
    }

    /// The producer's name for the job, 1 to 128 bytes. Enqueueing the same name twice adds one job.
    package var id: String
    /// The tenant that owns the job. `id` is unique within a tenant.
    package var tenant: String
    package var priority: Priority
    /// The time from enqueueing to the answer; above 0, at most a day.
    package var timeLimit: Duration
    /// The envelope of `POST /v1/jobs`, as JSON, at most 64 KiB.
    package var content: [UInt8]
    /// The destinations of the answer, in addition to the queue itself.
    package var answer: Answer
    /// The producer's trace context. The worker passes it on unchanged with the answer.
    package var trace: TraceContext?

    package struct Answer: Sendable, Equatable {
        /// The URL that the worker posts the result to.
        package var callback: String?
        /// The producer whose reply stream receives the result, in a queue with reply streams.
        package var producer: String?

        package init(callback: String? = nil, producer: String? = nil) {
            self.callback = callback
            self.producer = producer
        }
    }

    package static let defaultTenant = TenantName.unnamed
    package static let nameByteLimit = 128
    package static let callbackByteLimit = 2048
    package static let contentByteLimit = 65_536
    package static let longestTimeLimit = Duration.seconds(86_400)

    package init(
        id: String,
        tenant: String = Job.defaultTenant,
        priority: Priority = .high,
        timeLimit: Duration,
        content: [UInt8],
        answer: Answer = Answer(),
        trace: TraceContext? = nil,
    ) {
        self.id = id
        self.tenant = tenant
        self.priority = priority
        self.timeLimit = timeLimit
        self.content = content
        self.answer = answer
        self.trace = trace
    }

    package var name: JobName { JobName(id: id, tenant: tenant) }
}

/// The name of a job, unique within the queue.
package struct JobName: Sendable, Hashable {
    package var id: String
    package var tenant: String

    package init(id: String, tenant: String = Job.defaultTenant) {
        self.id = id
        self.tenant = tenant
    }
}

// MARK: - Answers

/// The answer to a job.
package struct JobReply: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        /// Every attachment has the best result possible.
        case ok
        /// The result has an attachment, but something was left out.
        case degraded
        /// The content is unchanged.
        case original
        /// The deadline passed before work began. The content is unchanged.
        case expired
        /// The job is invalid: its content is not an envelope with a payload.
        case failed
        /// The job was started repeatedly, at the end alone, and its worker died each time.
        case poison
        /// The producer cancelled the job.
        case cancelled
    }

    package var status: Status
    /// The result as JSON. For a job that failed, was cancelled or is poison, the reason as text.
    package var body: [UInt8]

    package init(_ status: Status, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// The state of a job.
package enum JobState: Sendable, Equatable {
    /// The queue has no such job, or no longer keeps its answer.
    case unknown
    case waiting
    /// A worker has leased it.
    case running
    case finished(JobReply)
}

/// What a producer hands over: a notification to be made ready, in an envelope, and the time that there is for it.
package struct Job: Sendable, Equatable {
    /// Which of two waiting jobs is read first. Among equals the earliest deadline is.
    package enum Priority: Int, Sendable, CaseIterable {
        case high, low
    }

    /// The producer's own name for it: a job that is handed over twice is the same job. 1 to 128 bytes.
    package var id: String
    /// Whose job it is; a name counts within its tenant.
    package var tenant: String
    package var priority: Priority
    /// The time from enqueueing to the answer; above 0, at most a day.
    package var timeLimit: Duration
    /// The envelope of `POST /v1/jobs`, as JSON, at most 64 KiB.
    package var content: [UInt8]
    /// Where the answer goes beside the queue itself.
    package var answer: Answer
    /// Carried from the producer through the worker to the answer, as it came.
    package var trace: TraceContext?

    package struct Answer: Sendable, Equatable {
        /// A URL that the result is posted to.
        package var callback: String?
        /// The producer whose reply stream gets the result, where the queue has such streams.
        package var producer: String?

        package init(callback: String? = nil, producer: String? = nil) {
            self.callback = callback
            self.producer = producer
        }
    }

    package static let defaultTenant = "default"
    package static let nameByteLimit = 128
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

/// What a job is called across the whole queue.
package struct JobName: Sendable, Hashable {
    package var id: String
    package var tenant: String

    package init(id: String, tenant: String = Job.defaultTenant) {
        self.id = id
        self.tenant = tenant
    }
}

/// The header fields of W3C Trace Context, passed on unread.
package struct TraceContext: Sendable, Equatable {
    package var parent: String
    package var state: String?

    package init(parent: String, state: String? = nil) {
        self.parent = parent
        self.state = state
    }
}

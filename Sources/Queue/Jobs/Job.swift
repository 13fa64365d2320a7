import Values

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

/// The header fields of W3C Trace Context. The queue passes them on without parsing them.
package struct TraceContext: Sendable, Equatable {
    package var parent: String
    package var state: String?

    package init(parent: String, state: String? = nil) {
        self.parent = parent
        self.state = state
    }

    /// Creates a context from texts that did not come as header fields. Returns `nil` if `parent` cannot be one; leaves out
    /// a `state` that cannot.
    package init?(untrusted parent: String, state: String?) {
        guard Self.isField(parent, upTo: 128) else { return nil }
        self.init(parent: parent, state: state.flatMap { Self.isField($0, upTo: 512) ? $0 : nil })
    }

    private static func isField(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

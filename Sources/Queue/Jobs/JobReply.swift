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
        /// The job was started repeatedly, in the end with nothing beside it, and its worker died each time.
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

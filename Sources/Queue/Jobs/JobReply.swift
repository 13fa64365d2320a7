/// The one answer to a job.
package struct JobReply: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        /// Every attachment is as good as it gets.
        case ok
        /// An attachment is there, and something was left out.
        case degraded
        /// The content is as it came.
        case original
        /// Time was up before any work was done; the content is as it came.
        case expired
        /// The job made no sense: its content is no envelope, or no payload.
        case failed
        /// The job was started again and again, alone at last, and each time its worker died.
        case poison
        /// The producer took it back.
        case cancelled
    }

    package var status: Status
    /// The result's JSON. Of a job that failed, was cancelled or is poison it has the reason in words.
    package var body: [UInt8]

    package init(_ status: Status, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Where a job stands.
package enum JobState: Sendable, Equatable {
    /// There is no such job, or its answer is no longer kept.
    case unknown
    case waiting
    /// A worker has leased it.
    case running
    case finished(JobReply)
}

package import Jobs

/// What a worker tells those who count.
package enum WorkerEvent: Sendable, Equatable {
    /// A job was answered, so long after it was enqueued, with so much of its time left; that is below zero if late.
    case answered(JobName, JobReply.Status, after: Duration, margin: Duration)
    /// An answer was refused: somebody else gave it, or has the job now.
    case stale(JobName)
    /// Leases were lost while their jobs were here.
    case lost(Int)
    /// Jobs were taken over from workers that died or hang.
    case reclaimed(Int)
    /// A job was put among the dead letters.
    case deadLettered(JobName)
    case gaveBack(Int)
    /// A try to post an answer. One that is given up counts as refused.
    case callback(CallbackOutcome)
    /// An answer will not be posted any more, after so many tries that failed.
    case callbackGivenUp(JobName, tries: Int, CallbackResult)
    /// The number of jobs changed that wait because as many as may be are worked on.
    case crowded(Int)
    /// The queue failed, and is asked again.
    case queueFailed(JobQueueError)
}

package typealias WorkerObserver = @Sendable (WorkerEvent) -> Void

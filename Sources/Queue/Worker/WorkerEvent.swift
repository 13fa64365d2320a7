package import Jobs

/// An event of a worker, for metrics and logs.
package enum WorkerEvent: Sendable, Equatable {
    /// A job was answered. `after` is the time since it was enqueued. `margin` is the time left, negative if late.
    case answered(JobName, JobReply.Status, after: Duration, margin: Duration)
    /// The queue refused an answer because the lease was lost.
    case stale(JobName)
    /// The number of leases that were lost while this worker held them.
    case lost(Int)
    /// The number of jobs that this worker reclaimed from workers that died or hang.
    case reclaimed(Int)
    /// A job became a dead letter.
    case deadLettered(JobName)
    case gaveBack(Int)
    /// The outcome of an attempt to post an answer. A callback that is given up counts as refused.
    case callback(CallbackOutcome)
    /// An attempt to post an answer failed, the one with this number. A later one may succeed.
    case callbackFailed(JobName, tries: Int, CallbackResult)
    /// The worker gave up posting an answer after this number of failed attempts.
    case callbackGivenUp(JobName, tries: Int, CallbackResult)
    /// The queue failed. The worker tries again.
    case queueFailed(JobQueueError)
}

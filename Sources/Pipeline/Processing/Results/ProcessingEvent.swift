/// An event of the pipeline, for metrics and logs.
package enum ProcessingEvent: Sendable {
    case attachment(AttachmentEvent)
    /// A notification was answered.
    case answered(ProcessingResult)
}

/// An event in the life of a requested attachment.
///
/// Each notification records its own events: one that joins the work of another records that it joined.
package enum AttachmentEvent: Sendable, Equatable {
    /// A download and its decoding started. The work has a number of its own in this process.
    case begun(work: Int)
    /// The notification joined work that was already under way.
    case joined(work: Int)
    /// The attachment came from the cache.
    case reused
    /// The origin confirmed that the source of a cached attachment has not changed. The task that made the attachment
    /// records this once for all notifications that wait.
    case revalidated
}

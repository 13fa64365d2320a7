/// An event of publishing, for metrics and logs.
package enum PublishEvent: Sendable, Equatable {
    case published(byteCount: Int, took: Duration)
    /// The file was already in the bucket.
    case reused
    /// An attempt failed and is repeated.
    case retried
    case failed
}

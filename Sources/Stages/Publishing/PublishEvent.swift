/// An event of publishing, for metrics and logs.
package enum PublishEvent: Sendable, Equatable {
    case published(byteCount: Int, took: Duration)
    /// The file was already in the bucket.
    case reused
    /// An attempt failed and is repeated.
    case retried
    case failed
    /// The bucket failed too often, last for this reason, and is not used for a while.
    case suspended(String)
}

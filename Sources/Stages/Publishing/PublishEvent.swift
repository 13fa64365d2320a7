/// Something that an operator counts.
package enum PublishEvent: Sendable, Equatable {
    case published(byteCount: Int, took: Duration)
    /// It was there already.
    case reused
    /// It failed, and is tried once more.
    case retried
    case failed
}

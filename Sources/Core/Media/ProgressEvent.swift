package import Timing

/// An event in the work on one attachment, in the order in which a source becomes a file.
///
/// Every step reports to the receiver that it was given with its job. It calls the receiver at once, on its own thread:
/// events keep their order, and none is on its way when time is up. So the receiver must not wait.
package enum ProgressEvent: Sendable {
    /// The origin has answered. No byte of that answer is in the file yet.
    case head(SourceHead)
    /// The first bytes tell the source's format.
    case recognized(MediaFormat)
    /// A decoder process has the job since this time. Before, the job waited for one.
    case decoding(since: Instant)
    /// The decoder has read the source's header. The event comes before any output, and comes again if the decoding had
    /// to begin again.
    case described(SourceReport)
    /// These bytes of the source are there.
    case fetched(SourceContents)
    /// An output is complete and checked. A later one is better.
    case output(ReadyRung)
    /// An output of the bytes so far is complete and checked, for callers whose deadline comes first.
    case earlyOutput(ReadyRung)
    /// The thumbnail is complete and checked: a JPEG.
    case thumbnail([UInt8])
    /// All outputs of the whole source that the request allows are there.
    case converted(ConversionRequest)
    /// The last byte that was needed of the source arrived at this time.
    case downloaded(at: Instant)
    /// The work failed. Outputs so far stand.
    case failed(AttachmentFailure)

    package typealias Receiver = @Sendable (ProgressEvent) -> Void
}

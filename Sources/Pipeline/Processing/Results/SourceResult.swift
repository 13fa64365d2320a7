import Payloads
import ServiceExtension
import Timing

/// The result of a single source.
package struct SourceResult: Sendable {
    package let identifier: String
    package let outcome: ProcessingResult.Outcome
    /// The delivered attachment, or `nil` if the source became no file.
    package let attachment: ProcessingResult.Attachment?
    package let failure: ProcessingResult.Failure?
    /// The thumbnail, a JPEG, if the request asked for one and the source has pictures.
    package let thumbnail: [UInt8]?
    package let timings: [ProcessingResult.Timing]
    /// The time left until the deadline at delivery.
    package let margin: Duration

    init(
        _ request: SourceRequest,
        _ delivered: DeliveredAttachments,
        _ stopwatch: Stopwatch,
        deadline: Instant,
    ) {
        identifier = request.identifier
        (attachment, failure) = delivered.outcome(at: 0, identifier: RandomIdentifier.make(), url: request.url)
        outcome =
            switch (attachment != nil, failure == nil && delivered.isComplete) {
            case (false, _): .original
            case (true, true): .complete
            case (true, false): .degraded
            }
        thumbnail = delivered.delivery.attachments.first?.thumbnail
        let now = stopwatch.now
        timings = ProcessingResult.Timing.all(stopwatch.durations, total: now - stopwatch.start)
        margin = max(.zero, deadline - now)
    }
}

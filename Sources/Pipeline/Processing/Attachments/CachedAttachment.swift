import Media
import ServiceExtension
import Timing

/// A cached attachment, and the time for which notifications may use it without asking the origin.
final class CachedAttachment: Sendable {
    /// The content, with no downloaded bytes counted.
    let content: AttachmentContent
    private let freshness: SourceFreshness
    private let freshUntil: Instant
    /// The validators that tell the origin which version of the source this is; `nil` if it cannot be revalidated.
    let validators: SourceValidators?

    /// The longest time for which a failure is cached: long enough that a campaign does not ask for each notification,
    /// and short enough that the sender can replace the source.
    private static let longestFailure: Duration = .seconds(5)

    /// Returns `nil` if the attachment cannot be cached: the result may differ next time, the origin's answer is for
    /// one client only, or it is stale at once and cannot be revalidated.
    ///
    /// `before` is the entry that the work began with. `floor` is the lifetime of a source whose origin does not give
    /// one.
    init?(_ job: AttachmentJob, before: CachedAttachment?, floor: Duration, now: Instant) {
        let progress = job.progress
        guard floor > .zero, let head = progress.head, head.freshness.isShareable,
            progress.content.isComplete || job.deadline.lastCutback == nil
        else { return nil }
        switch (head.status, before) {
        case (304, let before?):
            content = before.content
            freshness = head.freshness.freshening(before.freshness)
            validators = head.validators ?? before.validators
        case (200, _), (206, _), (404, _), (410, _):
            var content = progress.content
            content.source.fetched = 0
            self.content = content
            freshness = head.freshness
            validators = content.failure == nil ? head.validators : nil
        default: return nil
        }
        guard content.ready != nil || content.failure?.isLasting == true else { return nil }
        var end = freshness.end(floor: floor) ?? now
        if let failure = content.failure {
            guard failure.isLasting else { return nil }
            end = min(end, now + Self.longestFailure)
        }
        freshUntil = end
        guard end > now || validators != nil else { return nil }
    }

    /// Creates an entry that is fresh until then, and is never revalidated.
    init(_ content: AttachmentContent, until end: Instant) {
        self.content = content
        freshness = SourceFreshness(answers: [])
        freshUntil = end
        validators = nil
    }

    func isFresh(at now: Instant) -> Bool { now < freshUntil }

    /// The size of the file, in bytes.
    var byteCount: Int { content.ready?.report.byteCount ?? 0 }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the source would fail again. Of HTTP statuses, only those that say that
    /// it does not exist.
    fileprivate var isLasting: Bool {
        switch reason {
        case .httpStatus, .empty, .tooLarge, .unrecognizedFormat, .unsupportedFormat, .corrupt, .tooManyPixels: true
        default: false
        }
    }
}

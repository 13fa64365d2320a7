import Media
import ServiceExtension
import Timing

/// What was made of a source, and for how long notifications may have it without asking the origin.
struct MadeAttachment: Sendable {
    /// As for a notification that nothing was fetched for.
    let content: AttachmentContent
    private let freshness: SourceFreshness
    private let freshUntil: Instant
    /// What tells the origin which version of the source this was made of; `nil` if it can't be asked.
    let validators: SourceValidators?

    /// A failure is kept no longer than this: long enough that a campaign doesn't ask for each of its notifications, and
    /// short enough that a picture may be put in its place.
    private static let longestFailure: Duration = .seconds(5)

    /// `nil` for what no other notification may have: the result would be another one the next time, the origin keeps it
    /// for the one who asked, or it is stale at once and can't be asked about.
    ///
    /// `before` is what the making began with, and `floor` how long a source is fresh whose origin doesn't say.
    init?(_ making: AttachmentMaking, before: MadeAttachment?, floor: Duration, now: Instant) {
        let progress = making.progress
        guard floor > .zero, let head = progress.head, head.freshness.isShareable,
            progress.content.isComplete || making.deadline.lastCutback == nil
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

    func isFresh(at now: Instant) -> Bool { now < freshUntil }

    /// Of the file that it stands for.
    var byteCount: Int { content.ready?.report.byteCount ?? 0 }
}

extension AttachmentFailure {
    /// Whether the same source would fail again. Of HTTP statuses, those that say that there is none.
    fileprivate var isLasting: Bool {
        switch reason {
        case .httpStatus, .empty, .tooLarge, .unrecognizedFormat, .unsupportedFormat, .corrupt, .tooManyPixels: true
        default: false
        }
    }
}

import Base
import Media

/// A finished attachment, and the time for which notifications may use it without asking the origin.
struct KeptAttachment: Sendable {
    /// The attachment, with no downloaded bytes counted.
    let attachment: ReadyAttachment
    private let freshness: SourceFreshness
    private let freshUntil: Instant
    /// The validators that tell the origin which version of the source this is; `nil` if it cannot be revalidated.
    let validators: SourceValidators?

    /// The longest time for which a failure is kept: long enough that a campaign does not ask for each notification,
    /// and short enough that the sender can replace the source.
    private static let longestFailure: Duration = .seconds(5)

    /// Returns `nil` if the attachment cannot be kept: the result may differ next time, the origin's answer is for one
    /// client only, or it is stale at once and cannot be revalidated.
    ///
    /// `before` is what was kept when the work began. `floor` is the lifetime of a source whose origin does not give one.
    init?(_ made: ReadyAttachment, before: KeptAttachment?, wasCutBack: Bool, floor: Duration, now: Instant) {
        guard floor > .zero, let head = made.head, head.freshness.isShareable, made.isComplete || !wasCutBack else {
            return nil
        }
        switch (head.status, before) {
        case (304, let before?):
            attachment = before.attachment
            freshness = head.freshness.freshening(before.freshness)
            validators = head.validators ?? before.validators
        case (200, _), (206, _), (404, _), (410, _):
            var attachment = made
            attachment.source.fetched = 0
            self.attachment = attachment
            freshness = head.freshness
            validators = attachment.failure == nil ? head.validators : nil
        default: return nil
        }
        guard attachment.output != nil || attachment.failure?.isLasting == true else { return nil }
        var end = freshness.end(floor: floor) ?? now
        if let failure = attachment.failure {
            guard failure.isLasting else { return nil }
            end = min(end, now + Self.longestFailure)
        }
        freshUntil = end
        guard end > now || validators != nil else { return nil }
    }

    /// Creates an attachment that is fresh until then, and is never revalidated.
    init(_ attachment: ReadyAttachment, until end: Instant) {
        self.attachment = attachment
        freshness = SourceFreshness(answers: [])
        freshUntil = end
        validators = nil
    }

    func isFresh(at now: Instant) -> Bool { now < freshUntil }

    /// The size of the file, in bytes.
    var byteCount: Int { attachment.output?.report.byteCount ?? 0 }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the source would fail again. Of the HTTP statuses, this holds only for
    /// those that say that the source does not exist.
    fileprivate var isLasting: Bool {
        switch reason {
        case .httpStatus, .empty, .tooLarge, .unrecognizedFormat, .unsupportedFormat, .corrupt, .tooManyPixels: true
        default: false
        }
    }
}

import Media
import ServiceExtension

/// The attachments as they were when time expired or the work was done, and what became of their files.
struct DeliveredAttachments: Sendable {
    var delivery: Delivery
    /// The outcome of storing each attachment that has an output, by index.
    var stored: [Int: DeliveredFiles.Outcome]

    /// A Boolean value that indicates whether every attachment reached the last useful rung of a whole source.
    var isComplete: Bool { delivery.attachments.allSatisfy(\.isComplete) }

    /// Returns the attachment at `index`, if it is delivered, and its failure, if it is not as good as it could be.
    ///
    /// `isClipped` tells whether an image was to be cropped to a clipping rectangle.
    func outcome(
        at index: Int,
        identifier: String,
        url: String,
        isClipped: Bool = false,
    ) -> (attachment: ProcessingResult.Attachment?, failure: ProcessingResult.Failure?) {
        let content = delivery.attachments[index]
        var attachment: ProcessingResult.Attachment?
        var failure = content.failure
        if delivery.cause == .expired, !content.isComplete { failure = failure ?? Self.expired }
        switch (stored[index], content.ready) {
        case (.success(let file), let rung?):
            attachment = ProcessingResult.Attachment(
                identifier: identifier,
                stored: file,
                report: rung.report,
                sourceURL: url,
                source: content.source,
                isClipped: isClipped && rung.report.format.kind == .image && content.source.format?.kind == .image,
            )
        case (.failure(let storeFailure), _): failure = storeFailure
        case (.success, nil), (nil, _): break
        }
        return (attachment, failure.map { ProcessingResult.Failure(attachment: identifier, failure: $0) })
    }

    private static let expired = AttachmentFailure(.decode, .timedOut, "The attachment was not ready in time.")
}

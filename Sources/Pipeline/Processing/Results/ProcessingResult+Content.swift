import Media
import Payloads
import ServiceExtension
import Timing

extension ProcessingResult {
    /// Creates the result: rewrites the payload with the stored attachments, and sets the outcome.
    init(
        request: ProcessingRequest,
        delivery: Delivery,
        stored: [Int: DeliveredFiles.Outcome],
        stopwatch: Stopwatch,
        deadline: Instant,
    ) {
        let notification = request.notification
        let content = delivery.content
        var attachments: [Int: Attachment] = [:]
        var failures: [Failure] = []
        for (index, attachment) in content.attachments.enumerated() {
            let named = notification.attachments[index]
            var failure = attachment.failure
            if delivery.cause == .expired, !attachment.isComplete { failure = failure ?? Self.expired }
            switch (stored[index], attachment.ready) {
            case (.success(let file), let rung?):
                attachments[index] = Attachment(
                    identifier: named.identifier,
                    stored: file,
                    report: rung.report,
                    sourceURL: named.url,
                    source: attachment.source,
                    isClipped: rung.report.format.kind == .image && attachment.source.format?.kind == .image
                        && request.clippingRectangle(of: index) != nil,
                )
            case (.failure(let storeFailure), _): failure = storeFailure
            default: break
            }
            if let failure { failures.append(Failure(attachment: named.identifier, failure: failure)) }
        }

        let rewritten = PayloadWriter().write(notification, attachments: attachments.mapValues(\.inPayload))
        if let failure = rewritten.failure {
            attachments = [:]
            failures.append(Failure(attachment: nil, failure: failure))
        }
        let isComplete = failures.isEmpty && content.attachments.allSatisfy(\.isComplete)
        self.request = request
        self.identifier = notification.identifier
        // A fallback text instead of the attachments changes the payload too.
        self.outcome =
            switch (rewritten.fit, isComplete && !attachments.isEmpty) {
            case (.original, _): .original
            case (_, true): .complete
            case (_, false): .degraded
            }
        self.payload = rewritten.bytes
        self.payloadValue = rewritten.payload
        self.attachments = attachments.sorted { $0.key < $1.key }.map(\.value)
        self.failures = failures
        self.remarks = notification.explanation.remarks
        self.explanation = request.explanation
        self.stages = stopwatch.durations
        let now = stopwatch.now
        self.total = now - stopwatch.start
        self.margin = max(.zero, deadline - now)
    }

    private static let expired = AttachmentFailure(.decode, .timedOut, "The attachment was not ready in time.")
}

extension ProcessingResult.Attachment {
    fileprivate var inPayload: NotificationAttachment {
        NotificationAttachment(
            identifier: identifier,
            url: stored.url,
            shortURL: stored.shortURL,
            type: report.format.typeIdentifier,
            byteCount: report.byteCount,
            isClipped: isClipped,
        )
    }
}

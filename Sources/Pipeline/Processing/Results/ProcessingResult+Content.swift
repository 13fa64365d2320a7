import Media
import Payloads
import ServiceExtension
import Timing

extension ProcessingResult {
    /// Creates the result: rewrites the payload with the stored attachments, and sets the outcome.
    init(
        _ request: ProcessingRequest,
        _ delivered: DeliveredAttachments,
        _ stopwatch: Stopwatch,
        deadline: Instant,
    ) {
        let notification = request.notification
        var attachments: [Int: Attachment] = [:]
        var failures: [Failure] = []
        for (index, named) in notification.attachments.enumerated() {
            let rectangle = request.clippingRectangle(of: index)
            let outcome = delivered.outcome(
                at: index,
                identifier: named.identifier,
                url: named.url,
                isClipped: rectangle != nil,
            )
            attachments[index] = outcome.attachment
            let content = delivered.delivery.attachments[index]
            // Whatever is not complete has a reason, also where nothing failed.
            let reason = content.isComplete ? nil : Self.hurried(isReady: content.ready != nil)
            if let failure = outcome.failure ?? reason.map({ Failure(attachment: named.identifier, failure: $0) }) {
                failures.append(failure)
            }
        }

        let ready = attachments.map { index, attachment in
            (index, attachment.inPayload(showing: request.thumbnailPart(of: attachment.report, at: index)))
        }
        let rewritten = PayloadWriter().write(notification, attachments: Dictionary(uniqueKeysWithValues: ready))
        if let failure = rewritten.failure {
            attachments = [:]
            failures.append(Failure(attachment: nil, failure: failure))
        }
        // The URLs of the others are still the sender's.
        let linked = Set(attachments.filter { !$0.value.stored.isLocal }.keys)
        let isComplete = failures.isEmpty && delivered.isComplete
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
        self.remarks = PayloadLinter(now: UnixTime.now.seconds)
            .findings(in: notification, rewritten: rewritten.payload, delivered: linked)
            .map(\.remark)
        self.explanation = request.explanation
        self.stages = stopwatch.durations
        let now = stopwatch.now
        self.total = now - stopwatch.start
        self.margin = max(.zero, deadline - now)
    }
}

extension ProcessingResult {
    private static func hurried(isReady: Bool) -> AttachmentFailure {
        let message =
            isReady
            ? "There was too little time for the best version, so an earlier one was delivered."
            : "The attachment was not ready in time."
        return AttachmentFailure(.decode, .timedOut, message)
    }
}

extension ProcessingResult.Attachment {
    fileprivate func inPayload(showing part: ClippingRectangle?) -> NotificationAttachment {
        NotificationAttachment(
            identifier: identifier,
            url: stored.isLocal ? nil : stored.url,
            shortURL: stored.isLocal ? nil : stored.shortURL,
            type: report.format.typeIdentifier,
            byteCount: report.byteCount,
            isClipped: isClipped,
            thumbnailClippingRectangle: part,
            sha256: stored.sha256,
            inline: report.inline,
        )
    }
}

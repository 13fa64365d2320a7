package import Media
package import Payloads

/// What a notification has become so far: the request, and for each of its attachments the best that is ready.
package struct NotificationContent: Sendable {
    package let request: NotificationRequest
    /// One for each attachment that the payload names, in its order.
    package var attachments: [AttachmentContent]

    /// The original content, unchanged: always ready.
    package init(original request: NotificationRequest) {
        self.request = request
        self.attachments = request.attachments.map { _ in AttachmentContent() }
    }
}

/// How far one attachment has come.
package struct AttachmentContent: Sendable {
    /// The best output that is complete.
    package var ready: SharedRung?
    /// The file of the store that it is already; `nil` if it is still to be stored.
    package var stored: StoredAttachment?
    /// What is known of the source.
    package var source = AttachmentSource()
    /// Why it isn't better.
    package var failure: AttachmentFailure?
    /// Whether `ready` is the last useful rung of a whole source.
    package var isComplete = false

    package init() {}
}

/// What is known of a source, from the response and from its header.
package struct AttachmentSource: Sendable, Equatable {
    package var format: MediaFormat?
    /// The size of the whole source; `nil` where it isn't known.
    package var byteCount: Int?
    /// How many bytes of it were fetched for this notification. 0 where another's download did for this one too: the sum
    /// over all notifications is what origins sent.
    package var fetched = 0
    package var report: SourceReport?

    package init() {}
}

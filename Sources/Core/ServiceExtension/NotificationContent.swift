package import Media
package import Payloads

/// The state of a notification: the request, and the best output so far for each of its attachments.
package struct NotificationContent: Sendable {
    package let request: NotificationRequest
    /// The state of each attachment that the payload names, in its order.
    package var attachments: [AttachmentContent]

    /// Creates the original content, which is always ready.
    package init(original request: NotificationRequest) {
        self.request = request
        self.attachments = request.attachments.map { _ in AttachmentContent() }
    }
}

/// The state of one attachment.
package struct AttachmentContent: Sendable {
    /// The best output that is complete.
    package var ready: SharedRung?
    /// The attachment's file in the store, or `nil` if it is not stored yet.
    package var stored: StoredAttachment?
    /// The facts known about the source.
    package var source = AttachmentSource()
    /// The reason why the output is not better.
    package var failure: AttachmentFailure?
    /// A Boolean value that indicates whether `ready` is the last useful rung of a whole source.
    package var isComplete = false

    package init() {}
}

/// The facts known about a source from the response and from its header.
package struct AttachmentSource: Sendable, Equatable {
    package var format: MediaFormat?
    /// The size of the whole source in bytes, or `nil` if it is not known.
    package var byteCount: Int?
    /// The number of bytes that were fetched for this notification: 0 where another notification's download served this
    /// one too. The sum over all notifications is the number of bytes that origins sent.
    package var fetched = 0
    package var report: SourceReport?

    package init() {}
}

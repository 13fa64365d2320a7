package import Media

/// The state of one attachment.
package struct AttachmentContent: Sendable {
    /// The best output that is complete.
    package var ready: SharedRung?
    /// The attachment's file in the store, or `nil` if it is not stored yet.
    package var stored: StoredAttachment?
    /// A small picture of the output, a JPEG, if the caller asked for one.
    package var thumbnail: [UInt8]?
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

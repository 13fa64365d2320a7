package import Media

/// How an attachment is to be shown: the options of `UNNotificationAttachment`.
package struct AttachmentOptions: Sendable, Equatable {
    /// A uniform type identifier.
    package var typeHint: String?
    package var isThumbnailHidden = false
    package var clippingRectangle: ClippingRectangle?
    /// A movie's second, or the number of an animation's frame.
    package var thumbnailTime: Double?

    package init() {}
}

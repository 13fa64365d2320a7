package import Media

/// The options of `UNNotificationAttachment`, which say how an attachment is shown.
package struct AttachmentOptions: Sendable, Equatable {
    /// A uniform type identifier.
    package var typeHint: String?
    package var isThumbnailHidden = false
    package var clippingRectangle: ClippingRectangle?
    /// A time in a movie in seconds, or the number of an animation's frame.
    package var thumbnailTime: Double?

    package init() {}
}

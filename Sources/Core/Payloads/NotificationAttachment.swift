package import Media

/// A ready attachment, as the payload names it: the properties of `UNNotificationAttachment`.
package struct NotificationAttachment: Sendable, Equatable {
    package var identifier: String
    /// The URL from which phones fetch the file. `nil` if they cannot: the sender's URL then stays in the payload.
    package var url: String?
    /// A shorter URL of the same file, for a payload that is nearly full.
    package var shortURL: String?
    /// The uniform type identifier, such as `public.jpeg`.
    package var type: String
    package var byteCount: Int?
    /// A Boolean value that indicates whether the file shows only the part that the clipping rectangle named.
    package var isClipped: Bool
    /// The part of the picture for a thumbnail.
    package var thumbnailClippingRectangle: ClippingRectangle?
    /// The file's SHA-256 in hexadecimal digits.
    package var sha256: String?
    /// The tiny picture for a phone without network.
    package var inline: InlinePicture?

    package init(
        identifier: String,
        url: String?,
        shortURL: String? = nil,
        type: String,
        byteCount: Int? = nil,
        isClipped: Bool = false,
        thumbnailClippingRectangle: ClippingRectangle? = nil,
        sha256: String? = nil,
        inline: InlinePicture? = nil,
    ) {
        self.identifier = identifier
        self.url = url
        self.shortURL = shortURL
        self.type = type
        self.byteCount = byteCount
        self.isClipped = isClipped
        self.thumbnailClippingRectangle = thumbnailClippingRectangle
        self.sha256 = sha256
        self.inline = inline
    }
}

/// A tiny picture that a payload carries itself, for a phone without network.
package struct InlinePicture: Sendable, Hashable {
    /// The most bytes of a ThumbHash: five of header, and half a byte for each of its coefficients.
    package static let thumbHashLimit = 25
    /// The most bytes of one of the pictures. A payload has at most 4,096.
    package static let byteLimit = 1500
    /// The most files of different sizes.
    package static let pictureLimit = 2
    /// The most pixels of the longer side.
    package static let longestEdge = 96

    /// The picture as a ThumbHash (evanw.github.io/thumbhash): its shape and its colours in waves, about 25 bytes.
    package var thumbHash: [UInt8]
    /// The format of `pictures`: JPEG, or WebP where a profile prefers it.
    package var format: OutputFormat
    /// The same picture as files of different sizes, the largest first. It is empty where the ThumbHash is enough.
    package var pictures: [[UInt8]]

    package init(thumbHash: [UInt8], format: OutputFormat = .jpeg, pictures: [[UInt8]] = []) {
        self.thumbHash = thumbHash
        self.format = format
        self.pictures = pictures
    }
}

/// The kind of inline picture that a profile wants.
package enum InlineRule: String, Sendable, Hashable, CaseIterable {
    case off
    /// A ThumbHash.
    case hash
    /// A ThumbHash, and a picture of up to 1,500 bytes where the payload has room for it.
    case auto
}

/// A tiny picture that a payload carries itself, for a phone without network.
package struct InlinePicture: Sendable, Hashable {
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

    /// Returns whether the bytes have the form of a ThumbHash: its header says how many waves follow.
    package static func isThumbHash(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        guard bytes.count >= 5 else { return false }
        let hasAlpha = bytes[2] & 0x80 != 0
        let isWide = bytes[4] & 0x80 != 0
        let shorter = Int(bytes[3] & 7)
        let longer = hasAlpha ? 5 : 7
        let (across, down) = isWide ? (longer, shorter) : (shorter, longer)
        // The waves below the diagonal, without the mean.
        func waves(_ columns: Int, _ rows: Int) -> Int {
            (0..<rows).reduce(-1) { $0 + (columns * (rows - $1) + rows - 1) / rows }
        }
        let all = waves(max(3, across), max(3, down)) + 2 * waves(3, 3) + (hasAlpha ? waves(5, 5) : 0)
        return bytes.count == 5 + (hasAlpha ? 1 : 0) + (all + 1) / 2
    }

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

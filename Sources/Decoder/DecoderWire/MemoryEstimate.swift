package import Media

/// The memory that a decoder process needs for one source, in addition to that of every such process. Both programs use
/// these numbers: the decoder asks for its memory by them, and `attachd doctor` says which sources fit.
package enum MemoryEstimate {
    /// Returns the bytes for making a clip from a video whose frames have `pixels`.
    ///
    /// Measured: about 80 MB for the encoder and its lookahead, and up to 31 bytes for each pixel of a source frame
    /// with more than 8 bits a channel, or 15 otherwise.
    package static func clip(pixels: Int) -> Int { 96_000_000 + pixels * 32 }

    /// Returns the bytes for the rows that scaling a picture keeps: three of its filter on each side times the scale, in
    /// two bytes a value.
    package static func pictureRows(_ size: PixelSize, longEdge: Int) -> Int {
        let scale = (size.longEdge + longEdge - 1) / max(1, longEdge)
        return 16_000_000 + size.width * (512 + 8 * min(size.height, 7 * scale + 67))
    }

    /// Returns the bytes for each pixel of a source that is decoded as a whole, 0 for one that is decoded in rows.
    ///
    /// Measured with pictures of 12 to 200 megapixels, and rounded up: libheif has a picture of tiles twice, in the end.
    package static func bytesPerPixel(
        _ format: MediaFormat,
        isWhole: Bool,
        isAnimated: Bool,
        isTiled: Bool = false,
    ) -> Int {
        switch format {
        // All coefficients of a progressive picture, or of one that may be delivered in its own coding.
        case .jpeg: isWhole ? 6 : 0
        case .png: isWhole ? 8 : 0
        case .tiff: 4
        case .webp: isAnimated ? 10 : 5
        case .gif: 14
        case .heic, .avif: isTiled ? 6 : 12
        default: 12
        }
    }
}

package import Media

/// A still picture that is decoded: 8-bit sRGB, three bytes per pixel, row after row.
package struct DecodedStill: Sendable {
    package let pixels: [UInt8]
    package let size: PixelSize
    /// The EXIF orientation.
    package let orientation: Int

    package init(pixels: [UInt8], size: PixelSize, orientation: Int) {
        self.pixels = pixels
        self.size = size
        self.orientation = orientation
    }
}

/// The encoder of pictures that another library has decoded, such as a video's poster.
package protocol StillEmitter {
    /// Emits the picture as `rung`, cropped, scaled and encoded as `request` says, with a thumbnail if it wants one.
    func emit(
        _ still: DecodedStill,
        as rung: Rung,
        for request: ConversionRequest,
        to output: any RungOutput,
    ) throws(DecodeError)
}

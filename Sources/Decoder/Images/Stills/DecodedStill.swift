import CVips
package import DecoderWire
package import Media
import Values

/// A still picture that another library has decoded: 8-bit sRGB, three bytes per pixel, row after row.
package struct DecodedStill {
    private let pixels: [UInt8]
    private let size: PixelSize
    private let orientation: Int

    /// Creates a still picture. `orientation` is its EXIF orientation.
    package init(pixels: [UInt8], width: Int, height: Int, orientation: Int) {
        self.pixels = pixels
        self.size = PixelSize(width: width, height: height)
        self.orientation = orientation
    }

    /// Emits the picture as `rung`, cropped, scaled, and encoded by `rules`, with a thumbnail if `previewEdge` is
    /// given.
    package func publish(
        as rung: Rung,
        rules: ImageRules,
        previewEdge: Int? = nil,
        to output: any RungOutput,
    ) throws(DecodeFailure) {
        let upright = try picture().upright(from: orientation)
        let shape = StillShape(of: PictureHeader(of: upright, format: .png), rules: rules)
        let cropped = try shape.crop(upright)
        let scaled = try cropped.inMemory(scaledTo: shape.size(of: cropped.size))
        let encoded = try StillEncoder(rules: rules).encode(scaled)
        let publisher = RungPublisher(rungs: [rung], output: output, previewEdge: previewEdge)
        try publisher.publish(rung, encoded)
        publisher.publishPreview(of: scaled)
    }

    private func picture() throws(DecodeFailure) -> Picture {
        guard pixels.count == SafeSize.product(size.width, size.height, 3) else {
            throw DecodeFailure(.internalError, "\(pixels.count) bytes are not \(size.width)x\(size.height) pixels")
        }
        return try unsafe Picture.make("new_from_memory") { made in
            let (width, height) = (Int32(size.width), Int32(size.height))
            unsafe made = vips_image_new_from_memory_copy(
                pixels,
                pixels.count,
                width,
                height,
                3,
                VIPS_FORMAT_UCHAR
            )
            return unsafe made == nil ? -1 : 0
        }
    }
}

import CVips
package import DecoderWire
package import Media
import Values

/// The encoder of a video's poster, which libvips makes of decoded pixels.
package struct PosterEmitter: StillEmitter {
    package init() {}

    package func emit(
        _ still: DecodedStill,
        as rung: Rung,
        for request: ConversionRequest,
        to output: any RungOutput,
    ) throws(DecodeError) {
        let upright = try picture(of: still).upright(from: still.orientation)
        let shape = StillShape(of: PictureHeader(of: upright, format: .png), rules: request.image, focus: request.focus)
        let cropped = try shape.crop(upright)
        let scaled = try shape.finish(cropped.inMemory(scaledTo: shape.size(of: cropped.size)))
        let encoded = try StillEncoder(rules: request.image).encode(scaled)
        let emitter = RungEmitter(rungs: [rung], output: output, thumbnailEdge: request.thumbnailEdge)
        let inline = InlineEncoder(rules: request.image).encode(scaled)
        try emitter.emit(rung, encoded, focus: scaled.focus, inline: inline)
        emitter.emitThumbnail(of: scaled)
    }

    private func picture(of still: DecodedStill) throws(DecodeError) -> Picture {
        let (pixels, size) = (still.pixels, still.size)
        guard pixels.count == SafeSize.product(size.width, size.height, 3) else {
            throw DecodeError(.internalError, "\(pixels.count) bytes are not \(size.width)x\(size.height) pixels")
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

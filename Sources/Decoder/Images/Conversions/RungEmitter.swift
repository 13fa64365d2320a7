import Base
import CVips
package import DecoderWire
package import Media

/// The emitter of finished pictures. It records whether it has emitted one.
final class RungEmitter {
    private let rungs: Set<Rung>
    private let output: any RungOutput
    /// The longer side of the thumbnail, in pixels; `nil` if none is wanted.
    private let thumbnailEdge: Int?
    private(set) var hasEmitted = false
    private var hasThumbnail = false

    init(rungs: Set<Rung>, output: any RungOutput, thumbnailEdge: Int? = nil) {
        self.rungs = rungs
        self.output = output
        self.thumbnailEdge = thumbnailEdge
    }

    var lacksThumbnail: Bool { thumbnailEdge != nil && !hasThumbnail }

    func wants(_ rung: Rung) -> Bool { rungs.contains(rung) }

    func emit(
        _ rung: Rung,
        _ picture: borrowing EncodedPicture,
        focus: FocalPoint? = nil,
        inline: InlinePicture? = nil,
    ) throws(DecodeError) {
        let report = RungReport(
            rung: rung,
            format: picture.format,
            byteCount: picture.bytes.count,
            width: picture.size.width,
            height: picture.size.height,
            frames: picture.frames,
            durationMilliseconds: picture.durationMilliseconds,
            focus: focus,
            inline: inline,
        )
        try unsafe picture.bytes.withBytes { (bytes) throws(DecodeError) in try unsafe emit(report, bytes) }
    }

    func emit(_ report: RungReport, _ bytes: [UInt8]) throws(DecodeError) {
        // `withUnsafeBytes` of an array does not support typed throws.
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(DecodeError) in try unsafe emit(report, bytes) }
        }
        try result.get()
    }

    /// Emits a thumbnail of a finished picture, if one is wanted and was not emitted yet.
    func emitThumbnail(of picture: borrowing Picture) {
        guard lacksThumbnail, let thumbnailEdge else { return }
        hasThumbnail = true
        do {
            let thumbnail = try picture.thumbnail(longEdge: thumbnailEdge)
            try unsafe thumbnail.withBytes { (bytes) throws(DecodeError) in try unsafe output.emitThumbnail(bytes) }
        } catch {
            // The picture itself is complete, so a failed thumbnail is ignored.
        }
    }

    private func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) {
        try unsafe output.emit(report, bytes)
        hasEmitted = true
    }
}

// MARK: - Posters

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

import Base
package import Media

/// The reason why a decoder gave up. The text is only for the decoder's own log and is never sent to the worker.
package struct DecodeError: Error, Sendable, Equatable {
    package var reason: AttachmentFailure.Reason
    package var detail: String
    package var cause: FailureCause?

    package init(_ reason: AttachmentFailure.Reason, _ detail: String, cause: FailureCause? = nil) {
        self.reason = reason
        self.detail = detail
        self.cause = cause
    }

    /// The failure of a source that has a format or codec that is switched off.
    package static func disabled(_ name: String) -> DecodeError { DecodeError(.disabled, "\(name) is switched off") }
}

/// The bytes of the source for a decoder: they may be there, on their way, or never come.
package protocol SourceBytes: AnyObject {
    /// Reads bytes at `offset` into `buffer`, and waits for at least one. Returns 0 at the end of the source.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Announces the ranges to read next, so that they are requested at once. Replaces the ranges announced before.
    func expect(_ ranges: [Range<Int>])
    /// Waits until the source has ended, and returns the number of bytes from its start.
    func waitForEnd() -> Int
    /// The size of the source in bytes, if it is known already.
    var size: Int? { get }
    /// A Boolean value that indicates whether every byte of the source is there already.
    var isWhole: Bool { get }
    /// A Boolean value that indicates whether the source ended before its last byte.
    var isCut: Bool { get }
    /// A Boolean value that indicates whether the worker has announced that time is nearly up.
    var timeWillExpire: Bool { get }
}

extension SourceBytes {
    /// Reads bytes at `offset` until `buffer` is full or the source ends, and returns their number.
    ///
    /// `read` returns the bytes that are there, which may stop at any byte: between two packets of the download, or at
    /// the end of a block that was read ahead.
    package func readFully(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let more = unsafe read(at: offset + count, into: rest)
            guard more > 0, more <= rest.count else { break }
            count += more
        }
        return count
    }

    /// Returns `count` bytes; `nil` if the source has fewer.
    package func bytes(at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe readFully(at: offset, into: $0) }
        return read == count ? bytes : nil
    }
}

/// The destination of a decoder's results.
package protocol RungOutput: AnyObject {
    /// Reports the source once its header has been read, and the approximate memory that decoding needs. Waits until
    /// that memory is available.
    func describe(_ source: SourceReport, memoryBytes: Int)
    /// Emits one complete output. Sets `report.byteCount` from `bytes`.
    func emit(_ report: RungReport, _ bytes: UnsafeRawBufferPointer) throws(DecodeError)
    /// Emits the thumbnail that the request asks for, a JPEG. The decoder calls it at most once, after the rung that it
    /// shows.
    func emitThumbnail(_ bytes: UnsafeRawBufferPointer) throws(DecodeError)
}

/// The cause of a failure whose reason alone would mislead a person. The worker has a sentence for each.
package enum FailureCause: String, Sendable, CaseIterable {
    /// The source is encrypted, and only the owner of the key can decode it.
    case encryption
    /// The profile delivers no sound, and the source has nothing else.
    case silentProfile
    /// The source has a video whose codec is not decoded. Its sound alone would not be what the sender meant.
    case videoCodec
    /// The colors have a coding that no decoder here knows. They would come out wrong.
    case colors
    /// The video has colors that only decoders of Dolby Vision know.
    case dolbyVision
    /// The PNG is one that Xcode has converted for an app.
    case xcode
    /// The source is the raw data of a camera, without a picture beside it.
    case cameraRaw
}

// MARK: - Stills

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

/// A width and a height in pixels, both at least 1.
package struct PixelSize: Sendable, Equatable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
    }

    package var longEdge: Int { max(width, height) }
    package var pixels: Int { SafeSize.product(width, height) ?? .max }
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Returns the largest size of this shape, not larger than this one, whose longer side has at most `limit` pixels.
    package func fitting(longEdge limit: Int) -> PixelSize {
        guard longEdge > limit else { return self }
        return PixelSize(width: scaled(width, by: limit), height: scaled(height, by: limit))
    }

    private func scaled(_ side: Int, by limit: Int) -> Int {
        Int(clamping: (Double(side) * Double(limit) / Double(longEdge)).rounded())
    }
}

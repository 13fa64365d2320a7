import CVips
import CVipsShim
import DecoderWire
import Media

/// The part of an output format's row that needs a library: how its pictures are encoded, and how sources of the format
/// are rewritten.
struct PictureFormat {
    /// The encoder, if it has losses and serves photos. A graphic or an animation is encoded where it is made.
    var coder: LossyCoder?
    /// The rewriting of a source; `nil` if sources of the format are always encoded again.
    var rewriting: Rewriting?
}

/// An encoder with losses. Color has a quarter of the samples.
struct LossyCoder: Sendable {
    /// The usual quality.
    let quality: Int
    /// The quality of a picture with much fine detail, in which losses are easier to see.
    let detailQuality: Int
    var longestSide = Int.max
    /// The most pixels that do not take too long.
    var mostPixels = Int.max
    var hasAlpha = false
    let encode: @Sendable (borrowing Picture, _ quality: Int) throws(DecodeError) -> EncodedBytes

    /// At the usual quality, photos with much detail scored 72 to 78 of SSIMULACRA2, the others 79 to 84.
    static let jpeg = LossyCoder(quality: 80, detailQuality: 86) { (picture, quality) throws(DecodeError) in
        try picture.jpeg(quality: quality)
    }

    /// The qualities have about the same scores as those of JPEG. The side is that of RFC 9649, and the pixels take about
    /// half a second.
    static let webP = LossyCoder(
        quality: 86,
        detailQuality: 88,
        longestSide: 16_383,
        mostPixels: 4_000_000,
        hasAlpha: true,
    ) { (picture, quality) throws(DecodeError) in try picture.webP(quality: quality) }
}

/// The rewriting of a source's own coded data into a container with nothing else in it.
struct Rewriting {
    /// A Boolean value that indicates whether the result is decoded once: its rewriting does not read the pixels.
    var isTried = true
    /// Returns the new file; `nil` if the source breaks a rule or the file has more bytes than the limit.
    let rewrite: (_ bytes: [UInt8], _ header: PictureHeader, _ byteLimit: Int) -> [UInt8]?
}

extension OutputFormat {
    /// The table of formats of pictures; `nil` for those of clips.
    var picture: PictureFormat? {
        switch self {
        // libjpeg reads every coefficient of a source, without a complaint.
        case .jpeg:
            PictureFormat(
                coder: .jpeg,
                rewriting: Rewriting(isTried: false) { bytes, _, limit in JPEGContainer.rewritten(bytes, limit: limit) },
            )
        case .png: PictureFormat(rewriting: Rewriting { bytes, _, limit in PNGContainer.stripped(bytes, limit: limit) })
        case .gif:
            PictureFormat(
                rewriting: Rewriting { bytes, header, limit in
                    guard GIFContainer.screen(of: bytes) == header.storedSize else { return nil }
                    return GIFContainer.stripped(bytes, limit: limit)
                }
            )
        // Foreign bytes can follow a source's pixels in a chunk, where only a decoder could tell them apart.
        case .webp: PictureFormat(coder: .webP)
        case .mp4, .m4a, .wav: nil
        }
    }
}

// MARK: - Encoders

extension Picture {
    /// Returns a JPEG. Without `hasFullColor`, color has a quarter of the samples (4:2:0).
    func jpeg(quality: Int, hasFullColor: Bool = false) throws(DecodeError) -> EncodedBytes {
        try unsafe EncodedBytes.make("jpegsave") { bytes, count in
            unsafe cvips_jpegsave(image, Int32(quality), hasFullColor ? 1 : 0, &bytes, &count)
        }
    }

    /// Returns a WebP, with alpha if the picture has it.
    func webP(quality: Int) throws(DecodeError) -> EncodedBytes {
        try unsafe EncodedBytes.make("webpsave") { bytes, count in
            unsafe cvips_webpsave(image, Int32(quality), &bytes, &count)
        }
    }

    func png(isPaletted: Bool) throws(DecodeError) -> EncodedBytes {
        try unsafe EncodedBytes.make("pngsave") { bytes, count in
            unsafe cvips_pngsave(image, isPaletted ? 1 : 0, &bytes, &count)
        }
    }
}

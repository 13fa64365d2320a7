import Base
import DecoderWire
package import Decoding
package import Media
import Synchronization

/// A test of a decoder on a tiny image or clip.
package struct DecoderCheck: Sendable {
    private let pool: DecoderPool

    package init(pool: DecoderPool) { self.pool = pool }

    /// Decodes a tiny image, in a format that is not switched off. Does nothing if all are.
    ///
    /// - Throws: The failure that kept the decoder from writing an image.
    package func check() async throws(AttachmentFailure) {
        let disabled = pool.disabled
        guard
            let sample = SampleMedia.pictures.first(where: { !disabled.mayConcern($0.format) })
                ?? SampleMedia.pictures.first(where: { !disabled.refuses($0.format) })
        else { return }
        try await check(sample)
    }

    /// - Throws: The failure that kept the decoder from writing an image.
    func check(_ sample: (format: MediaFormat, bytes: [UInt8])) async throws(AttachmentFailure) {
        let image = Profile.apns.image
        try await check(sample.bytes, ConversionRequest(format: sample.format, image: image, animation: nil))
    }

    /// Decodes a clip and encodes it again.
    ///
    /// - Throws: The failure that kept the decoder from writing a clip.
    func checkClip(_ format: MediaFormat, _ bytes: [UInt8]) async throws(AttachmentFailure) {
        let profile = Profile.apns
        let request = ConversionRequest(
            format: format,
            image: profile.image,
            animation: nil,
            video: profile.video,
            audio: profile.audio,
            rungs: [.transcoded],
        )
        try await check(bytes, request)
    }

    private func check(_ bytes: [UInt8], _ request: ConversionRequest) async throws(AttachmentFailure) {
        let file = try MediaFile(byteLimit: bytes.count)
        try file.append(bytes)
        file.end(.whole)
        let outputs = Atomic(0)
        let deadline = Deadline(SystemTime().now + .seconds(5))
        try await pool.convert(
            ConversionJob(of: file, as: request, deadline: deadline) { event in
                if case .output = event { outputs.add(1, ordering: .relaxed) }
            }
        )
        guard outputs.load(ordering: .relaxed) > 0 else {
            throw AttachmentFailure(.decode, .internalError, "The decoder produced no output from a built-in sample.")
        }
    }
}

// MARK: - Memory

/// The pictures and clips that can be decoded in the memory of this machine or container.
package struct FittingSources: Sendable {
    /// The memory for one source, in bytes.
    private let memoryBytes: Int
    private let limits: MediaLimits
    /// The longest side of results, which decides how many rows are kept.
    private let longEdge: Int

    /// `decoderMemory` is the memory of all decoder processes together, of which each needs `initial` before it has read
    /// its source.
    package init(decoderMemory: Int, initial: Int, limits: MediaLimits = MediaLimits(), profile: Profile = .apns) {
        memoryBytes = min(decoderMemory, limits.memoryBytes) - initial
        self.limits = limits
        longEdge = profile.image.longEdge
    }

    /// Sizes of frames that are common, the largest first.
    private static let commonSizes = [
        PixelSize(width: 7680, height: 4320), PixelSize(width: 3840, height: 2160),
        PixelSize(width: 2560, height: 1440),
        PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 720), PixelSize(width: 854, height: 480),
        PixelSize(width: 640, height: 360), PixelSize(width: 480, height: 270), PixelSize(width: 320, height: 180),
    ]

    /// The most pixels of a video's frame, 0 if no clip can be made.
    package var clipPixels: Int { largest(limits.framePixels) { MemoryEstimate.clip(pixels: $0) } }

    /// Returns the most pixels of a picture. `isWhole` means one that can only be decoded as a whole: progressive or
    /// interlaced.
    package func picturePixels(_ format: MediaFormat, isWhole: Bool = false, isTiled: Bool = false) -> Int {
        // Progressive pictures count twice. Others may be larger where the loader reads them in parts.
        let isReadInParts = isTiled || [.jpeg, .webp, .tiff].contains(format)
        let most =
            isWhole ? limits.framePixels / 2 : isReadInParts ? limits.reducedPixels : limits.framePixels
        return largest(most) { pixels in
            // Of a picture with three quarters of its width as its height.
            let width = Int(exactly: (Double(pixels) * 4 / 3).squareRoot().rounded(.down)) ?? 0
            let size = PixelSize(width: width, height: width * 3 / 4)
            return MemoryEstimate.pictureRows(size, longEdge: longEdge)
                + pixels
                * MemoryEstimate.bytesPerPixel(format, isWhole: isWhole, isAnimated: false, isTiled: isTiled)
        }
    }

    /// The clips that fit, in words.
    package var clips: String {
        let pixels = clipPixels
        guard pixels > 0, let size = Self.commonSizes.first(where: { $0.pixels <= pixels }) else {
            return "no video fits: decoders together need more memory"
        }
        return "video up to \(Self.text(pixels)) megapixels a frame, such as \(size.width) × \(size.height)"
    }

    /// The pictures that fit, in words.
    package var pictures: String {
        let kinds = [
            ("JPEG", picturePixels(.jpeg)), ("progressive JPEG", picturePixels(.jpeg, isWhole: true)),
            ("PNG", picturePixels(.png)), ("WebP", picturePixels(.webp)),
            ("HEIC and AVIF", picturePixels(.heic, isTiled: true)), ("those of one tile", picturePixels(.heic)),
        ]
        let parts = kinds.map { "\($0.0) \($0.1 > 0 ? "up to \(Self.text($0.1))" : "of no size")" }
        return parts.joined(separator: ", ") + " megapixels"
    }

    /// Returns the most pixels, in steps of ten thousand, whose memory fits.
    private func largest(_ limit: Int, _ bytes: (Int) -> Int) -> Int {
        let step = 10_000
        var (fitting, tooMany) = (0, limit / step + 1)
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            if bytes(middle * step) <= memoryBytes { fitting = middle } else { tooMany = middle }
        }
        return fitting * step
    }

    private static func text(_ pixels: Int) -> String {
        let tenths = pixels / 100_000
        return tenths >= 100 || tenths % 10 == 0 && tenths > 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

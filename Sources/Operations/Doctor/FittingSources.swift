import DecoderWire
package import Media

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
    package var clipPixels: Int { largest { MemoryEstimate.clip(pixels: $0) } }

    /// Returns the most pixels of a picture. `isWhole` means one that can only be decoded as a whole: progressive or
    /// interlaced.
    package func picturePixels(_ format: MediaFormat, isWhole: Bool = false) -> Int {
        largest { pixels in
            // Of a picture with three quarters of its width as its height.
            let width = Int(exactly: (Double(pixels) * 4 / 3).squareRoot().rounded(.down)) ?? 0
            let size = PixelSize(width: width, height: width * 3 / 4)
            return MemoryEstimate.pictureRows(size, longEdge: longEdge)
                + pixels * MemoryEstimate.bytesPerPixel(format, isWhole: isWhole, isAnimated: false)
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
            ("JPEG and PNG", picturePixels(.jpeg)), ("progressive JPEG", picturePixels(.jpeg, isWhole: true)),
            ("WebP", picturePixels(.webp)), ("HEIC and AVIF", picturePixels(.heic)),
        ]
        let parts = kinds.map { "\($0.0) \($0.1 > 0 ? "up to \(Self.text($0.1))" : "of no size")" }
        return parts.joined(separator: ", ") + " megapixels"
    }

    /// Returns the most pixels, in steps of ten thousand, whose memory fits.
    private func largest(_ bytes: (Int) -> Int) -> Int {
        let step = 10_000
        var (fitting, tooMany) = (0, limits.framePixels / step + 1)
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

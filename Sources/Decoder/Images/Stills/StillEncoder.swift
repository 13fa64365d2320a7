import DecoderWire
import Media
import Values

/// A finished picture file.
struct EncodedPicture: ~Copyable {
    let format: OutputFormat
    let size: PixelSize
    let frames: Int
    let durationMilliseconds: Int?
    let bytes: EncodedBytes

    init(
        format: OutputFormat,
        size: PixelSize,
        frames: Int = 1,
        durationMilliseconds: Int? = nil,
        bytes: consuming EncodedBytes,
    ) {
        self.format = format
        self.size = size
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
        self.bytes = bytes
    }
}

/// An encoder that writes a picture within a profile's byte budget.
struct StillEncoder {
    /// The usual JPEG quality. Most pictures are encoded only once.
    private static let quality = 80
    /// The quality of a picture with much fine detail, in which losses are easier to see: at the usual one, such photos
    /// scored 72 to 78 of SSIMULACRA2, the others 79 to 84.
    private static let detailQuality = 86
    /// The bytes for each pixel, in the usual quality, from which on a picture has much fine detail.
    private static let detailBytes = 0.09
    /// The lowest quality. Below it, a smaller picture looks better than a worse one.
    private static let lowestQuality = 45
    /// The bytes for each pixel, in the usual quality, below which a picture is a graphic, or as plain as one. All
    /// samples of colour cost little then.
    private static let graphicBytes = 0.05
    /// The share of a graphic's pixels beside saturated edges, as of coloured text, from which on 4:2:0 is visible: such
    /// text scored 80 with it, and 91 without.
    private static let sharpShare = 0.001
    private static let smallestEdge = 64

    let rules: ImageRules

    private var byteLimit: Int { min(rules.byteBudget, rules.byteLimit) }

    /// Encodes `picture`, which is in memory and has 8 bits and one to four bands.
    func encode(_ picture: borrowing Picture) throws(DecodeError) -> EncodedPicture {
        guard picture.hasAlpha else { return try jpeg(picture) }
        guard try !picture.isOpaque() else { return try jpeg(picture.firstBands(picture.bands - 1)) }
        if rules.keepsTransparency {
            for isPaletted in [false, true] {
                let bytes = try picture.png(isPaletted: isPaletted)
                if bytes.count <= byteLimit { return EncodedPicture(format: .png, size: picture.size, bytes: bytes) }
            }
        }
        return try jpeg(picture.flattenedOnWhite())
    }

    private func jpeg(_ picture: borrowing Picture) throws(DecodeError) -> EncodedPicture {
        let first = try picture.jpeg(quality: Self.quality)
        if first.count <= byteLimit {
            guard let better = try better(picture, than: first.count) else {
                return EncodedPicture(format: .jpeg, size: picture.size, bytes: first)
            }
            return EncodedPicture(format: .jpeg, size: picture.size, bytes: better)
        }
        if let found = try bestQuality(of: picture) { return found }
        // The number of bytes is about proportional to the area.
        let ratio = (Double(byteLimit) / Double(first.count)).squareRoot()
        let edge = Int(clamping: Double(picture.size.longEdge) * min(0.85, max(0.25, ratio)))
        guard edge >= Self.smallestEdge else {
            throw DecodeError(.tooLarge, "no JPEG of \(Self.smallestEdge) pixels has \(byteLimit) bytes or less")
        }
        return try jpeg(picture.inMemory(scaledTo: picture.size.fitting(longEdge: edge)))
    }

    /// Returns `picture` encoded better than usual, if it needs it and the result is within the budget. `byteCount` is
    /// its size in the usual quality.
    private func better(_ picture: borrowing Picture, than byteCount: Int) throws(DecodeError) -> EncodedBytes? {
        let bytesPerPixel = Double(byteCount) / Double(picture.size.pixels)
        let better: EncodedBytes
        if bytesPerPixel > Self.detailBytes {
            better = try picture.jpeg(quality: Self.detailQuality)
        } else if bytesPerPixel < Self.graphicBytes, picture.hasSharpColour(inMoreThan: Self.sharpShare) {
            better = try picture.jpeg(quality: Self.quality, hasFullColour: true)
        } else {
            return nil
        }
        guard better.count <= byteLimit else { return nil }
        return better
    }

    /// Returns `picture` in the best quality within the budget, to within five steps of a hundred; `nil` if none fits.
    private func bestQuality(of picture: borrowing Picture) throws(DecodeError) -> EncodedPicture? {
        var best: EncodedPicture?
        var low = Self.lowestQuality
        var high = Self.quality
        while high - low > 5 {
            let middle = (low + high) / 2
            let bytes = try picture.jpeg(quality: middle)
            if bytes.count <= byteLimit {
                best = EncodedPicture(format: .jpeg, size: picture.size, bytes: bytes)
                low = middle
            } else {
                high = middle
            }
        }
        return best
    }
}

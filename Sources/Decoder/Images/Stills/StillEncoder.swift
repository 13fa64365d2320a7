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
    /// The usual JPEG quality. On a phone, no difference is visible, and most pictures are encoded only once.
    private static let quality = 82
    /// The lowest quality. Below it, a smaller picture looks better than a worse one.
    private static let lowestQuality = 45
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
        guard first.count > byteLimit else { return EncodedPicture(format: .jpeg, size: picture.size, bytes: first) }
        if let found = try bestQuality(of: picture) { return found }
        // The number of bytes is about proportional to the area.
        let ratio = (Double(byteLimit) / Double(first.count)).squareRoot()
        let edge = Int(clamping: Double(picture.size.longEdge) * min(0.85, max(0.25, ratio)))
        guard edge >= Self.smallestEdge else {
            throw DecodeError(.tooLarge, "no JPEG of \(Self.smallestEdge) pixels has \(byteLimit) bytes or less")
        }
        return try jpeg(picture.inMemory(scaledTo: picture.size.fitting(longEdge: edge)))
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

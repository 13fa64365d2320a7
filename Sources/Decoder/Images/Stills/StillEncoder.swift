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
    /// The WebP qualities with about the same scores.
    private static let webPQuality = 86
    private static let webPDetailQuality = 88
    /// The longest side that a WebP can have (RFC 9649).
    private static let longestWebPSide = 16_383
    /// The most pixels of a WebP, which take about half a second.
    private static let webPPixels = 4_000_000
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
    /// The lowest quality of a JPEG that is made of one with few bytes. Below it, no source looks better than its bytes.
    private static let lowestSourceQuality = 30

    let rules: ImageRules
    /// The size of the source if it is a JPEG, too: more bytes would only keep its losses.
    var sourceByteCount: Int?

    private var byteLimit: Int { min(rules.byteBudget, rules.byteLimit) }

    /// Encodes `picture`, which is in memory and has 8 bits and one to four bands.
    func encode(_ picture: borrowing Picture) throws(DecodeError) -> EncodedPicture {
        guard picture.hasAlpha else { return try notLarger(than: sourceByteCount, picture, opaque(picture)) }
        guard try !picture.isOpaque() else { return try opaque(picture.firstBands(picture.bands - 1).inMemory()) }
        let flat = try picture.flattenedOnWhite().inMemory()
        if rules.keepsTransparency, let transparent = try transparent(picture, on: flat) { return transparent }
        return try opaque(flat)
    }

    /// Returns `picture` with its transparency, or `nil` if it has too many bytes then. `flat` is the picture on white.
    private func transparent(
        _ picture: borrowing Picture,
        on flat: borrowing Picture,
    ) throws(DecodeError) -> EncodedPicture? {
        if !flat.hasSharpColour(inMoreThan: Self.sharpShare), let webP = webP(picture, quality: Self.webPQuality) {
            return webP
        }
        let visible = try picture.withVisibleColours()
        for isPaletted in [false, true] {
            let bytes = try visible.png(isPaletted: isPaletted)
            if bytes.count <= byteLimit { return EncodedPicture(format: .png, size: picture.size, bytes: bytes) }
        }
        return nil
    }

    /// Encodes a picture without alpha.
    private func opaque(_ picture: borrowing Picture) throws(DecodeError) -> EncodedPicture {
        let first = try picture.jpeg(quality: Self.quality)
        let bytesPerPixel = Double(first.count) / Double(picture.size.pixels)
        let hasDetail = bytesPerPixel > Self.detailBytes
        let fits = first.count <= byteLimit
        // A WebP with losses always has a quarter of the samples of colour.
        if bytesPerPixel < Self.graphicBytes, picture.hasSharpColour(inMoreThan: Self.sharpShare) {
            let full = fits ? try picture.jpeg(quality: Self.quality, hasFullColour: true) : nil
            if let full, full.count <= byteLimit {
                return EncodedPicture(format: .jpeg, size: picture.size, bytes: full)
            }
        } else if let webP = webP(picture, quality: hasDetail ? Self.webPDetailQuality : Self.webPQuality),
            hasDetail || webP.bytes.count < first.count
        {
            return webP
        } else if hasDetail, fits {
            let better = try picture.jpeg(quality: Self.detailQuality)
            if better.count <= byteLimit { return EncodedPicture(format: .jpeg, size: picture.size, bytes: better) }
        }
        guard !fits else { return EncodedPicture(format: .jpeg, size: picture.size, bytes: first) }
        let range = Self.lowestQuality...Self.quality
        if let found = try bestQuality(of: picture, in: range, limit: byteLimit) { return found }
        // The number of bytes is about proportional to the area.
        let ratio = (Double(byteLimit) / Double(first.count)).squareRoot()
        let edge = Int(clamping: Double(picture.size.longEdge) * min(0.85, max(0.25, ratio)))
        guard edge >= Self.smallestEdge else {
            throw DecodeError(.tooLarge, "no JPEG of \(Self.smallestEdge) pixels has \(byteLimit) bytes or less")
        }
        return try opaque(picture.inMemory(scaledTo: picture.size.fitting(longEdge: edge)))
    }

    /// Returns `encoded`, or `picture` as the best JPEG of at most `limit` bytes; the smallest one if none has so few.
    private func notLarger(
        than limit: Int?,
        _ picture: borrowing Picture,
        _ encoded: consuming EncodedPicture,
    ) throws(DecodeError) -> EncodedPicture {
        guard let limit, encoded.bytes.count > limit, encoded.format == .jpeg, encoded.size == picture.size else {
            return encoded
        }
        let range = Self.lowestSourceQuality...Self.quality
        if let found = try bestQuality(of: picture, in: range, limit: limit) { return found }
        let bytes = try picture.jpeg(quality: Self.lowestSourceQuality)
        return bytes.count < encoded.bytes.count
            ? EncodedPicture(format: .jpeg, size: picture.size, bytes: bytes) : encoded
    }

    /// Returns `picture` as a WebP, or `nil` if it must not or cannot become one, has too many bytes, or is so large that it
    /// would take long.
    private func webP(_ picture: borrowing Picture, quality: Int) -> EncodedPicture? {
        guard rules.prefersWebP, picture.size.pixels <= Self.webPPixels, picture.size.longEdge <= Self.longestWebPSide,
            let bytes = try? picture.webP(quality: quality), bytes.count <= byteLimit
        else { return nil }
        return EncodedPicture(format: .webp, size: picture.size, bytes: bytes)
    }

    /// Returns `picture` as a JPEG of at most `limit` bytes in the best quality of `range`, to within five steps of a hundred;
    /// `nil` if none fits.
    private func bestQuality(
        of picture: borrowing Picture,
        in range: ClosedRange<Int>,
        limit: Int,
    ) throws(DecodeError) -> EncodedPicture? {
        var best: EncodedPicture?
        var (low, high) = (range.lowerBound, range.upperBound)
        while high - low > 5 {
            let middle = (low + high) / 2
            let bytes = try picture.jpeg(quality: middle)
            if bytes.count <= limit {
                best = EncodedPicture(format: .jpeg, size: picture.size, bytes: bytes)
                low = middle
            } else {
                high = middle
            }
        }
        return best
    }
}

import Base
import DecoderWire
import Media

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
    private static let quality = LossyCoder.jpeg.quality
    /// The bytes for each pixel, in the usual quality, from which on a picture has much fine detail.
    private static let detailBytes = 0.09
    /// The lowest quality. Below it, a smaller picture looks better than a worse one.
    private static let lowestQuality = 45
    /// The bytes for each pixel, in the usual quality, below which a picture is a graphic, or as plain as one. All
    /// samples of color cost little then.
    private static let graphicBytes = 0.05
    /// The share of a graphic's pixels beside saturated edges, as of colored text, from which on 4:2:0 is visible: such
    /// text scored 80 with it, and 91 without.
    private static let sharpShare = 0.001
    /// The bytes that all samples of color may cost in a small picture with such edges.
    private static let colorBytes = 2_000
    /// The bytes of a small picture. In larger ones, all samples of color cost more.
    private static let smallBytes = 8_000
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
        if !flat.hasSharpColor(inMoreThan: Self.sharpShare), let preferred = preferred(picture) { return preferred }
        let visible = try picture.withVisibleColors()
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
        let isGraphic = bytesPerPixel < Self.graphicBytes
        let hasSharpColor =
            (isGraphic || first.count <= Self.smallBytes) && picture.hasSharpColor(inMoreThan: Self.sharpShare)
        // Only a JPEG can have all samples of color.
        if hasSharpColor, fits {
            let quality = hasDetail ? LossyCoder.jpeg.detailQuality : Self.quality
            let full = try picture.jpeg(quality: quality, hasFullColor: true)
            if full.count <= byteLimit, isGraphic || full.count <= first.count + Self.colorBytes {
                return EncodedPicture(format: .jpeg, size: picture.size, bytes: full)
            }
        }
        // WebP has half the samples of color, too.
        if !(isGraphic && hasSharpColor), let preferred = preferred(picture, hasDetail: hasDetail),
            hasDetail || preferred.bytes.count < first.count
        {
            return preferred
        } else if hasDetail, fits {
            let better = try picture.jpeg(quality: LossyCoder.jpeg.detailQuality)
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

    /// Returns `picture` in the first of the profile's optional formats that is possible, or `nil` if it cannot have any of
    /// them, has too many bytes, or is so large that it would take long.
    private func preferred(_ picture: borrowing Picture, hasDetail: Bool = false) -> EncodedPicture? {
        for format in rules.formats where format != .fallback {
            guard let coder = format.picture?.coder, coder.hasAlpha || !picture.hasAlpha,
                picture.size.pixels <= coder.mostPixels, picture.size.longEdge <= coder.longestSide,
                let bytes = try? coder.encode(picture, hasDetail ? coder.detailQuality : coder.quality),
                bytes.count <= byteLimit
            else { continue }
            return EncodedPicture(format: format, size: picture.size, bytes: bytes)
        }
        return nil
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

import CVips
import DecoderWire
import Media

/// An encoder of tiny pictures that payloads carry themselves.
struct InlineEncoder {
    /// The longer sides that are tried, in pixels, from large to small.
    private static let edges = [InlinePicture.longestEdge, 64, 40, 24]
    /// The most bytes of each file, from large to small: for an empty payload, and for one that is nearly full.
    private static let byteLimits = [InlinePicture.byteLimit, 600]
    /// Coarse, because a phone shows the picture enlarged and blurred, if at all.
    private static let quality = 45
    /// The longer side of the picture that is hashed. The hash has seven waves at most.
    private static let hashedEdge = 32

    let rules: ImageRules

    /// Returns the tiny version of a finished picture in memory, or `nil` if the profile wants none or it fails: the
    /// picture itself is complete without it.
    func encode(_ picture: borrowing Picture) -> InlinePicture? {
        guard rules.inline != .off else { return nil }
        do throws(DecodeError) {
            let small = try picture.reduced(toAbout: InlinePicture.longestEdge)
            let hash = try thumbHash(small.inMemory(scaledTo: small.size.fitting(longEdge: Self.hashedEdge)))
            guard rules.inline == .auto else { return InlinePicture(thumbHash: hash) }
            let flat = small.hasAlpha ? try small.flattenedOnWhite().inMemory() : small.shared()
            let files = try files(of: flat)
            return InlinePicture(thumbHash: hash, format: rules.prefersWebP ? .webp : .jpeg, pictures: files)
        } catch {
            return nil
        }
    }

    private func files(of picture: borrowing Picture) throws(DecodeError) -> [[UInt8]] {
        var files: [[UInt8]] = []
        for edge in Self.edges {
            guard files.count < Self.byteLimits.count else { break }
            let scaled = try picture.inMemory(scaledTo: picture.size.fitting(longEdge: edge))
            let bytes = try rules.prefersWebP ? scaled.webP(quality: Self.quality) : scaled.jpeg(quality: Self.quality)
            let file = try unsafe bytes.withBytes { (bytes) throws(DecodeError) in unsafe [UInt8](bytes) }
            if file.count <= Self.byteLimits[files.count] { files.append(file) }
        }
        return files
    }

    private func thumbHash(_ picture: borrowing Picture) throws(DecodeError) -> [UInt8] {
        let (width, height, bands) = (picture.width, picture.height, picture.bands)
        let values = picture.pixels
        let colours = picture.hasAlpha ? bands - 1 : bands
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for start in stride(from: 0, to: values.count, by: bands) {
            for band in 0..<3 { rgba.append(values[start + (colours < 3 ? 0 : band)]) }
            rgba.append(picture.hasAlpha ? values[start + bands - 1] : 255)
        }
        return ThumbHash(width: width, height: height, rgba: rgba).bytes
    }
}

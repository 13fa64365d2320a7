import CVips
import DecoderWire
import Media

/// The thumbnail in a JPEG's EXIF data, which becomes the cheapest rung.
struct EmbeddedThumbnail {
    /// The most pixels of a thumbnail. EXIF data has less than 64 kB, so one that claims more pixels is not valid.
    private static let pixelLimit = 1_000_000

    private let bytes: [UInt8]
    private let shape: StillShape
    private let orientation: Int
    private let rules: ImageRules

    init?(header: PictureHeader, shape: StillShape, rules: ImageRules) {
        guard let thumbnail = header.thumbnail, thumbnail.starts(with: [0xFF, 0xD8]) else { return nil }
        bytes = thumbnail
        self.shape = shape
        orientation = header.orientation
        self.rules = rules.withoutWebP
    }

    /// Emits the thumbnail. Ignores a broken one, because the picture itself may be fine.
    func emit(to emitter: RungEmitter) throws(DecodeError) {
        guard emitter.wants(.embeddedThumbnail), let encoded = encode() else { return }
        try emitter.emit(.embeddedThumbnail, encoded)
    }

    private func encode() -> EncodedPicture? {
        do throws(DecodeError) {
            let loader = PictureLoader(format: .jpeg, failOn: VIPS_FAIL_ON_ERROR)
            let loaded = try loader.open(PictureSource(BytesInMemory(bytes), .jpeg))
            guard loaded.size.pixels <= Self.pixelLimit else { return nil }
            // Removes black bars: many thumbnails are 4:3, whatever the picture's shape.
            let whole = try loaded.cropped(to: loaded.size.area(ofShape: shape.whole.ratio))
            let cropped = try shape.crop(whole).in8Bits()
            let scaled = try cropped.inMemory(scaledTo: cropped.size.fitting(longEdge: rules.longEdge))
            let finished = try shape.finish(scaled.inStandardColours().upright(from: orientation))
            return try StillEncoder(rules: rules).encode(finished)
        } catch {
            return nil
        }
    }
}

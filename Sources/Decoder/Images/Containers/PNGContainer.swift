import CVipsShim
import DecoderWire

/// The container of a PNG (ISO/IEC 15948): a signature, then chunks of length, type, data, and checksum.
enum PNGContainer {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Returns the same coded picture without metadata, and without any byte that is not part of it.
    ///
    /// The result follows the standard strictly, so that every reader shows it. Profiles, text, EXIF, times, suggested
    /// palettes, and an animation's later frames are dropped. Bytes behind the compressed pixels are dropped, too.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limit: The most bytes of the result.
    /// - Returns: `nil` if the file is malformed or the result has more bytes than the limit.
    static func stripped(_ bytes: [UInt8], limit: Int = .max) -> [UInt8]? {
        var reader = ContainerReader(bytes)
        guard let start = reader.take(8), start.elementsEqual(signature), let first = PNGChunk(&reader),
            first.type == "IHDR", first.isIntact, let header = PNGHeader(first.data)
        else { return nil }
        var kept = KeptChunks(header)
        while let chunk = PNGChunk(&reader) {
            if chunk.type == "IEND" { return kept.file(after: signature + PNGChunk.bytes("IHDR", first.data), limit) }
            guard kept.add(chunk), kept.pixels.count <= limit else { return nil }
        }
        return nil
    }

    /// The chunks of one picture that a decoder needs.
    private struct KeptChunks {
        private let header: PNGHeader
        private var palette: ArraySlice<UInt8>?
        private var transparency: ArraySlice<UInt8>?
        private var colours = PNGColours()
        /// The data of all IDAT chunks, which must follow each other.
        private(set) var pixels: [UInt8] = []
        private var endedPixels = false

        init(_ header: PNGHeader) { self.header = header }

        /// Adds or drops a chunk. Returns `false` if the file is malformed.
        mutating func add(_ chunk: PNGChunk) -> Bool {
            if chunk.type != "IDAT" { endedPixels = !pixels.isEmpty }
            switch chunk.type {
            case "IDAT":
                pixels += chunk.data
                return chunk.isIntact && !endedPixels && (palette != nil || !header.isPaletted)
            case "PLTE":
                // Other pictures only suggest colours.
                guard header.isPaletted else { return true }
                guard palette == nil, pixels.isEmpty, header.isPalette(chunk.data) else { return false }
                palette = chunk.data
                return chunk.isIntact
            case "tRNS":
                guard transparency == nil, pixels.isEmpty,
                    header.isTransparency(chunk.data, colourCount: (palette?.count ?? 0) / 3)
                else { return false }
                transparency = chunk.data
                return chunk.isIntact
            default:
                if pixels.isEmpty { colours.add(chunk) }
                return !chunk.isCritical
            }
        }

        /// Returns the whole file; `nil` if the compressed pixels are not those of one picture.
        func file(after start: [UInt8], _ limit: Int) -> [UInt8]? {
            guard let size = header.pixelByteCount else { return nil }
            let length = unsafe pixels.withUnsafeBytes { unsafe cvips_zlib_length($0.baseAddress, $0.count, size) }
            guard length > 0 else { return nil }
            var file = start
            for chunk in colours.chunks { file += chunk }
            if let palette { file += PNGChunk.bytes("PLTE", palette) }
            if let transparency { file += PNGChunk.bytes("tRNS", transparency) }
            file += PNGChunk.bytes("IDAT", pixels.prefix(length)) + PNGChunk.bytes("IEND", [])
            return file.count <= limit ? file : nil
        }
    }
}

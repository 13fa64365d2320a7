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
        // Readers do not miss the last chunk, which is empty.
        return kept.file(after: signature + PNGChunk.bytes("IHDR", first.data), limit)
    }

    /// The most chunks that are searched, and the most bytes of EXIF data.
    private static let (chunkLimit, metadataLimit) = (100_000, 65_536)

    /// Returns the orientation in EXIF data behind the pixels, which libpng does not read. Waits for the end of the picture.
    static func lateOrientation(of source: any SourceBytes) -> Int? {
        var (offset, hasPixels) = (8, false)
        for _ in 0..<chunkLimit {
            guard let start = source.bytes(at: offset, count: 8) else { return nil }
            var reader = ContainerReader(start)
            guard let length = reader.bigEndian(4), let type = reader.take(4) else { return nil }
            if type.elementsEqual("IEND".utf8) { return nil }
            if type.elementsEqual("IDAT".utf8) { hasPixels = true }
            if type.elementsEqual("eXIf".utf8) {
                guard hasPixels, length <= metadataLimit, let data = source.bytes(at: offset + 8, count: length) else {
                    return nil
                }
                return TIFFDirectory(of: BytesInMemory(data))?[274].first.flatMap { (1...8).contains($0) ? $0 : nil }
            }
            offset += 12 + length
        }
        return nil
    }

    /// The chunks of one picture that a decoder needs.
    private struct KeptChunks {
        private let header: PNGHeader
        private var palette: ArraySlice<UInt8>?
        private var transparency: ArraySlice<UInt8>?
        private var colors = PNGColors()
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
                // Other pictures only suggest colors.
                guard header.isPaletted else { return true }
                guard palette == nil, pixels.isEmpty, header.isPalette(chunk.data) else { return false }
                palette = chunk.data
                return chunk.isIntact
            case "tRNS":
                guard transparency == nil, pixels.isEmpty,
                    header.isTransparency(chunk.data, colorCount: (palette?.count ?? 0) / 3)
                else { return false }
                transparency = chunk.data
                return chunk.isIntact
            default:
                if pixels.isEmpty { colors.add(chunk) }
                return !chunk.isCritical
            }
        }

        /// Returns the whole file; `nil` if the compressed pixels are not those of one picture.
        func file(after start: [UInt8], _ limit: Int) -> [UInt8]? {
            guard let size = header.pixelByteCount else { return nil }
            let length = unsafe pixels.withUnsafeBytes { unsafe cvips_zlib_length($0.baseAddress, $0.count, size) }
            guard length > 0 else { return nil }
            var file = start
            for chunk in colors.chunks { file += chunk }
            if let palette { file += PNGChunk.bytes("PLTE", palette) }
            if let transparency { file += PNGChunk.bytes("tRNS", transparency) }
            file += PNGChunk.bytes("IDAT", pixels.prefix(length)) + PNGChunk.bytes("IEND", [])
            return file.count <= limit ? file : nil
        }
    }
}

// MARK: - Chunks

/// One chunk of a PNG: ISO/IEC 15948, section 5.3.
struct PNGChunk {
    private static let longest = 0x7FFF_FFFF

    let type: String
    let data: ArraySlice<UInt8>
    /// The type and the data, which the checksum covers.
    private let covered: ArraySlice<UInt8>
    private let checksum: Int

    /// Reads the next chunk. Returns `nil` if there isn't a whole one.
    init?(_ reader: inout ContainerReader) {
        guard let length = reader.bigEndian(4), length <= Self.longest, let covered = reader.take(4 + length),
            let checksum = reader.bigEndian(4)
        else { return nil }
        self.covered = covered
        self.checksum = checksum
        type = String(decoding: covered.prefix(4), as: UTF8.self)
        data = covered.dropFirst(4)
    }

    /// A Boolean value that indicates whether a decoder must know the chunk to show the picture. The first letter of its
    /// type is then a capital.
    var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? true }

    /// A Boolean value that indicates whether the checksum is right.
    var isIntact: Bool { Int(Self.checksum(of: covered)) == checksum }

    /// Returns a whole chunk.
    static func bytes(_ type: String, _ data: some Collection<UInt8>) -> [UInt8] {
        let covered = Array(type.utf8) + data
        return bigEndian(data.count) + covered + bigEndian(Int(checksum(of: covered[...])))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The remainders of all bytes for the polynomial of ISO/IEC 15948, annex D.
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = remainders
        var rest = ~UInt32(0)
        for byte in bytes { rest = table[Int((rest ^ UInt32(byte)) & 0xFF)] ^ rest >> 8 }
        return ~rest
    }
}

/// The container of a PNG (ISO/IEC 15948): a signature, then chunks of length, type, data, and checksum.
enum PNGContainer {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let endChunk = "IEND"
    /// The chunks of the picture and its colours. Profiles, text, EXIF, times, and an animation's later frames are
    /// dropped.
    private static let kept: Set<String> = ["IHDR", "PLTE", "tRNS", "sRGB", "gAMA", "cHRM", "IDAT", endChunk]

    /// Returns the same coded picture without metadata and trailing data.
    ///
    /// - Returns: `nil` if the file is malformed.
    static func stripped(_ bytes: [UInt8]) -> [UInt8]? {
        var reader = ContainerReader(bytes)
        guard let start = reader.take(8), start.elementsEqual(signature) else { return nil }
        var result = signature
        result.reserveCapacity(bytes.count)
        while let chunk = nextChunk(&reader) {
            if kept.contains(chunk.type) {
                result += chunk.bytes
            } else if chunk.isCritical {
                return nil
            }
            if chunk.type == endChunk { return result }
        }
        return nil
    }

    private struct Chunk {
        var type: String
        /// The whole chunk, with length and checksum.
        var bytes: ArraySlice<UInt8>
        /// A Boolean value that indicates whether a decoder must know the chunk to show the picture. The first letter
        /// of its type is then a capital.
        var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? true }
    }

    private static func nextChunk(_ reader: inout ContainerReader) -> Chunk? {
        var ahead = reader
        guard let length = ahead.bigEndian(4), let type = ahead.take(4), let bytes = reader.take(length + 12)
        else { return nil }
        return Chunk(type: String(decoding: type, as: UTF8.self), bytes: bytes)
    }
}

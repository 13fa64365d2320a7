import DecoderWire

/// A directory of a TIFF: TIFF 6.0, section 2. The raw files of cameras and EXIF data have the same.
struct TIFFDirectory {
    /// The most fields that are read.
    private static let fieldLimit = 200
    /// The most values of a field that are read.
    private static let valueLimit = 16
    /// The types of whole numbers: of one, two and four bytes, and of positions.
    private static let sizes = [1: 1, short: 2, long: 4, 13: 4]
    static let (short, long) = (3, 4)

    struct Field {
        let tag: Int
        let type: Int
        let count: Int
        /// The first values, if they are whole numbers.
        let values: [Int]
    }

    let fields: [Field]
    /// A Boolean value that indicates whether these are all fields.
    let isWhole: Bool
    /// The position of the next directory; 0 behind the last one.
    let next: Int

    /// Reads a directory, by default the first one. Returns `nil` if the source does not have it as a whole.
    init?(of source: any SourceBytes, at position: Int? = nil) {
        guard let header = source.bytes(at: 0, count: 8) else { return nil }
        let isBigEndian = header[0] == 0x4D
        func number(_ bytes: some Collection<UInt8>) -> Int {
            (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        let start = position ?? number(header[4...])
        guard let count = source.bytes(at: start, count: 2).map(number),
            let bytes = source.bytes(at: start + 2, count: 12 * min(count, Self.fieldLimit))
        else { return nil }
        isWhole = count <= Self.fieldLimit
        next = source.bytes(at: start + 2 + 12 * count, count: 4).map(number) ?? 0
        fields = stride(from: 0, to: bytes.count, by: 12).map { offset in
            let type = number(bytes[offset + 2..<offset + 4])
            let count = number(bytes[offset + 4..<offset + 8])
            let size = Self.sizes[type] ?? 0
            let length = min(count, Self.valueLimit) * size
            // Values stand elsewhere if they are more than four bytes.
            let content =
                count <= 4 && count * size <= 4
                ? Array(bytes[offset + 8..<offset + 8 + length])
                : source.bytes(at: number(bytes[offset + 8..<offset + 12]), count: length) ?? []
            let values =
                size == 0 ? [] : stride(from: 0, to: content.count, by: size).map { number(content[$0..<$0 + size]) }
            return Field(tag: number(bytes[offset..<offset + 2]), type: type, count: count, values: values)
        }
    }

    /// The numbers of a field; empty without that field.
    subscript(tag: Int) -> [Int] { fields.last { $0.tag == tag }?.values ?? [] }
}

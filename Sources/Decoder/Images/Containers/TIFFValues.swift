import DecoderWire
import Media

/// The meaning of the values of a TIFF's first page, from its directory alone: TIFF 6.0, section 2.
///
/// The loader of libvips 8.14 takes values that it does not know for RGB, and shows wrong colors.
struct TIFFValues {
    private enum Field {
        static let bits = 258
        static let compression = 259
        static let interpretation = 262
        static let inkSet = 332
    }
    private static let jpegs = [6, 7]
    /// The number that libtiff has for WebP.
    private static let webPs = [50001]
    /// JPEG 2000, whose decoder makes RGB of them.
    private static let jpeg2000 = [33003, 33005, 34712]
    private static let yCbCr = 6
    private static let inks = 5
    /// White is 0, black is 0, RGB, a palette, inks, L*a*b*, and the logarithms of libtiff.
    private static let known = [0, 1, 2, 3, inks, 8, 32844, 32845]
    private static let fieldLimit = 200
    /// The types of numbers with two and with four bytes.
    private static let (short, long) = (3, 4)
    /// The most bits of a value that libvips reads: it takes a wider one, a float of 64 bits, for damage.
    private static let mostBits = 32

    private let bits: Int
    /// The compression, or `nil` if the directory has it in a way in which libtiff may read another one: twice, far behind,
    /// or as a number of one byte.
    private let compression: Int?
    private let interpretation: Int?
    private let inkSet: Int

    /// Returns `nil` if `source` has no whole directory; what is there is left to the loader.
    init?(of source: any SourceBytes) {
        guard let header = source.bytes(at: 0, count: 8) else { return nil }
        let isBigEndian = header[0] == 0x4D
        func number(_ bytes: ArraySlice<UInt8>) -> Int {
            (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        let start = number(header[4...])
        guard let count = source.bytes(at: start, count: 2).map({ number($0[...]) }),
            let directory = source.bytes(at: start + 2, count: 12 * min(count, Self.fieldLimit))
        else { return nil }
        // A field is a tag, a type, a count and a value: here always one number of two bytes, or of four.
        var fields: [Int: Int] = [:]
        var compressions: [Int?] = []
        for offset in stride(from: 0, to: directory.count, by: 12) {
            let (tag, type) = (number(directory[offset..<offset + 2]), number(directory[offset + 2..<offset + 4]))
            let amount = number(directory[offset + 4..<offset + 8])
            let value = number(directory[offset + 8..<offset + (type == Self.long ? 12 : 10)])
            fields[tag] = value
            if tag == Field.compression {
                let isUsual = [Self.short, Self.long].contains(type) && amount == 1
                compressions.append(isUsual ? value : nil)
            }
            // The bits of each band stand elsewhere if they are more than four bytes. libvips takes only equal ones.
            if tag == Field.bits, amount > (type == Self.long ? 1 : 2) {
                let place = number(directory[offset + 8..<offset + 12])
                fields[tag] = source.bytes(at: place, count: 2).map { number($0[...]) }
            }
        }
        bits = fields[Field.bits] ?? 1
        if count > Self.fieldLimit || compressions.count > 1 { compressions = [nil] }
        compression = compressions.first ?? 1
        interpretation = fields[Field.interpretation]
        inkSet = fields[Field.inkSet] ?? 1
    }

    /// Throws if the data of the first page is a JPEG or WebP that is switched off, or may be one.
    static func checkCompression(of source: any SourceBytes, against disabled: DisabledFormats) throws(DecodeError) {
        let compressions =
            (disabled.formats.contains(.jpeg) ? jpegs : []) + (disabled.formats.contains(.webp) ? webPs : [])
        guard !compressions.isEmpty else { return }
        guard let compression = TIFFValues(of: source)?.compression, !compressions.contains(compression) else {
            throw DecodeError.disabled("the picture's compression")
        }
    }

    /// Throws if libvips would show other colors, or call the values damaged.
    func check() throws(DecodeError) {
        guard bits <= Self.mostBits else { throw DecodeError(.unsupportedFormat, "values of \(bits) bits") }
        guard let interpretation else { return }
        let isKnown =
            switch interpretation {
            case Self.yCbCr: compression.map((Self.jpegs + Self.jpeg2000).contains) ?? false
            case Self.inks: inkSet == 1
            default: Self.known.contains(interpretation)
            }
        guard isKnown else {
            throw DecodeError(
                .unsupportedFormat,
                "photometric interpretation \(interpretation), compression \(compression.map(String.init) ?? "unclear")"
            )
        }
    }
}

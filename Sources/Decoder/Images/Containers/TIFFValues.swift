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
        static let extraSamples = 338
    }
    private static let jpegs = [6, 7]
    /// The number that libtiff has for WebP.
    private static let webPs = [50001]
    /// JPEG 2000, whose decoder makes RGB of them.
    private static let jpeg2000 = [33003, 33005, 34712]
    private static let yCbCr = 6
    private static let inks = 5
    /// Of the samples beside the colors, only these are alpha. Unspecified ones are not.
    private static let alphas = [1, 2]
    /// White is 0, black is 0, RGB, a palette, inks, L*a*b*, and the logarithms of libtiff.
    private static let known = [0, 1, 2, 3, inks, 8, 32844, 32845]
    /// The most bits of a value that libvips reads: it takes a wider one, a float of 64 bits, for damage.
    private static let mostBits = 32

    private let bits: Int
    /// The compression, or `nil` if the directory has it in a way in which libtiff may read another one: twice, far behind,
    /// or as a number of one byte.
    private let compression: Int?
    private let interpretation: Int?
    private let inkSet: Int
    private let hasAlpha: Bool

    /// Returns `nil` if `source` has no whole directory; what is there is left to the loader.
    init?(of source: any SourceBytes) {
        guard let directory = TIFFDirectory(of: source) else { return nil }
        bits = directory[Field.bits].first ?? 1
        let compressions = directory.fields.filter { $0.tag == Field.compression }
        let isUsual = compressions.allSatisfy {
            [TIFFDirectory.short, TIFFDirectory.long].contains($0.type) && $0.count == 1
        }
        let isClear = directory.isWhole && compressions.count <= 1 && isUsual
        compression = isClear ? compressions.first?.values.first ?? 1 : nil
        interpretation = directory[Field.interpretation].first
        inkSet = directory[Field.inkSet].first ?? 1
        hasAlpha = directory[Field.extraSamples].first.map(Self.alphas.contains) ?? false
    }

    /// The number of bands that are colors; `nil` if it is unclear.
    private var colorCount: Int? {
        switch interpretation {
        case 0, 1: 1
        case 2, Self.yCbCr, 8: 3
        case Self.inks: 4
        default: nil
        }
    }

    /// Returns the number of bands to keep of a picture if the others mean nothing; `nil` to keep all.
    func keptBands(of bands: Int) -> Int? {
        guard !hasAlpha, let colorCount, bands > colorCount else { return nil }
        return colorCount
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

import Colours
import DecoderWire

/// The chunks of a PNG that say what its colours mean. One overrides the other: PNG specification (third edition),
/// section 4.3.
struct PNGColours {
    /// The plausible values of a chunk, in hundred-thousandths.
    private static let gammas = 10_000...500_000
    private static let coordinates = 0...100_000
    /// The value that stands for sRGB in chunks of pictures without a more exact one, with its rounded relatives.
    private static let standardGammas = 43_000...48_000
    /// The most chunks that are read before the first one with pixels.
    private static let chunkLimit = 1000
    /// The most bytes of a chunk of interest.
    private static let lengthLimit = 32

    private var numbers: ArraySlice<UInt8>?
    private var hasProfile = false
    private var isStandard = false
    private var gamma: ArraySlice<UInt8>?
    private var chromaticities: ArraySlice<UInt8>?

    init() {}

    /// Reads the chunks before the pixels.
    init(of source: any SourceBytes) {
        var offset = 8
        for _ in 0..<Self.chunkLimit {
            guard let start = source.bytes(at: offset, count: 8) else { return }
            var reader = ContainerReader(start)
            guard let length = reader.bigEndian(4), let type = reader.take(4) else { return }
            if type.elementsEqual("IDAT".utf8) || type.elementsEqual("IEND".utf8) { return }
            if type.elementsEqual("iCCP".utf8) { hasProfile = true }
            if length <= Self.lengthLimit, let whole = source.bytes(at: offset, count: length + 12) {
                var reader = ContainerReader(whole)
                if let chunk = PNGChunk(&reader) { add(chunk) }
            }
            offset += length + 12
        }
    }

    /// Adds a chunk, unless it is of another kind, or broken.
    mutating func add(_ chunk: PNGChunk) {
        if chunk.type == "iCCP" { hasProfile = true }
        guard ["cICP", "sRGB", "gAMA", "cHRM"].contains(chunk.type), chunk.data.count <= Self.lengthLimit,
            chunk.isIntact
        else { return }
        switch chunk.type {
        case "cICP": if numbers == nil, Self.areNumbers(chunk.data) { numbers = chunk.data }
        case "sRGB": isStandard = true
        case "gAMA": if gamma == nil, Self.isGamma(chunk.data) { gamma = chunk.data }
        default: if chromaticities == nil, Self.areChromaticities(chunk.data) { chromaticities = chunk.data }
        }
    }

    /// The coding that ITU-T H.273 describes by numbers, which overrides a profile. `nil` if the picture gives none.
    var numberedCoding: ColourCoding? {
        guard let numbers = numbers.map(Array.init) else { return nil }
        return ColourCoding(primaries: Int(numbers[0]), transfer: Int(numbers[1]), hasHeadroom: numbers[3] == 0)
    }

    /// The coding that the picture's gamma and primaries describe. `nil` if it is sRGB, or another chunk overrides them.
    var measuredCoding: ColourCoding? {
        guard numbers == nil, !hasProfile, !isStandard else { return nil }
        var coding = ColourCoding(primaries: .standard, transfer: .standard)
        if let value = gamma.flatMap(Self.values)?.first, !Self.standardGammas.contains(value) {
            coding.transfer = .gamma(100_000 / Float(value))
        }
        if let values = chromaticities.flatMap(Self.values) {
            let points = stride(from: 0, to: 8, by: 2).map { index in
                Chromaticity(Float(values[index]) / 100_000, Float(values[index + 1]) / 100_000)
            }
            coding.primaries = ColourPrimaries(red: points[1], green: points[2], blue: points[3], white: points[0])
        }
        return coding.isStandard ? nil : coding
    }

    /// The chunks that a picture needs in order to keep its colours.
    var chunks: [[UInt8]] {
        guard measuredCoding != nil else { return [] }
        return [gamma.map { PNGChunk.bytes("gAMA", $0) }, chromaticities.map { PNGChunk.bytes("cHRM", $0) }]
            .compactMap(\.self)
    }

    private static func values(_ data: ArraySlice<UInt8>) -> [Int]? {
        var reader = ContainerReader(data)
        var values: [Int] = []
        while let value = reader.bigEndian(4) { values.append(value) }
        return values.count * 4 == data.count ? values : nil
    }

    /// Returns `true` for RGB: section 11.3.2.6.
    private static func areNumbers(_ data: ArraySlice<UInt8>) -> Bool {
        data.count == 4 && data[data.startIndex + 2] == 0 && data[data.startIndex + 3] <= 1
    }

    private static func isGamma(_ data: ArraySlice<UInt8>) -> Bool {
        data.count == 4 && values(data)?.allSatisfy(gammas.contains) == true
    }

    /// Returns `true` for real points: with a vertical coordinate of 0, a colour would have no brightness.
    private static func areChromaticities(_ data: ArraySlice<UInt8>) -> Bool {
        guard data.count == 32, let values = values(data), values.allSatisfy(coordinates.contains) else { return false }
        return stride(from: 1, to: 8, by: 2).allSatisfy { values[$0] > 0 }
    }
}

extension SourceBytes {
    /// Returns `count` bytes; `nil` if the source has fewer.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe readFully(at: offset, into: $0) }
        return read == count ? bytes : nil
    }
}

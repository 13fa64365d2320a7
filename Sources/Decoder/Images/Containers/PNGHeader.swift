import Base
import DecoderWire

/// The first chunk of a PNG: ISO/IEC 15948, section 11.2.2.
struct PNGHeader {
    private let width: Int
    private let height: Int
    private let depth: Int
    private let colorType: UInt8
    private let isInterlaced: Bool

    /// Returns `nil` for values that the standard doesn't allow.
    init?(_ data: ArraySlice<UInt8>) {
        var reader = ContainerReader(data)
        guard data.count == 13, let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let depth = reader.byte(), let colorType = reader.byte(), reader.take(2) == [0, 0],
            let interlacing = reader.byte(), interlacing <= 1, width > 0, height > 0,
            Self.depths(of: colorType).contains(depth)
        else { return nil }
        self.width = width
        self.height = height
        self.depth = Int(depth)
        self.colorType = colorType
        isInterlaced = interlacing == 1
    }

    var isPaletted: Bool { colorType == 3 }

    private static func depths(of colorType: UInt8) -> [UInt8] {
        switch colorType {
        case 0: [1, 2, 4, 8, 16]
        case 2, 4, 6: [8, 16]
        case 3: [1, 2, 4, 8]
        default: []
        }
    }

    private var bitsPerPixel: Int {
        switch colorType {
        case 2: 3 * depth
        case 4: 2 * depth
        case 6: 4 * depth
        default: depth
        }
    }

    /// The number of bytes that the pixels have before compression, with one byte for each row's filter; `nil` if it is
    /// too large to count.
    var pixelByteCount: Int? {
        guard isInterlaced else { return byteCount(width, height) }
        // The seven passes: section 8.2.
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        var total = 0
        for (left, top, across, down) in passes {
            let columns = (width - left + across - 1) / across
            let rows = (height - top + down - 1) / down
            guard let count = byteCount(columns, rows), let sum = SafeSize.sum(total, count) else { return nil }
            total = sum
        }
        return total
    }

    private func byteCount(_ columns: Int, _ rows: Int) -> Int? {
        guard columns > 0, rows > 0 else { return 0 }
        return SafeSize.product(rows, 1 + (columns * bitsPerPixel + 7) / 8)
    }

    /// Returns `true` if `data` is a palette for this picture: section 11.2.3.
    func isPalette(_ data: ArraySlice<UInt8>) -> Bool {
        isPaletted && !data.isEmpty && data.count.isMultiple(of: 3) && data.count / 3 <= 1 << depth
    }

    /// Returns `true` if `data` is the transparency of this picture, whose palette has `colorCount` colors: section
    /// 11.3.2.1.
    func isTransparency(_ data: ArraySlice<UInt8>, colorCount: Int) -> Bool {
        switch colorType {
        case 0, 2:
            var reader = ContainerReader(data)
            guard data.count == (colorType == 0 ? 2 : 6) else { return false }
            while let value = reader.bigEndian(2) { guard value < 1 << depth else { return false } }
            return true
        case 3: return !data.isEmpty && data.count <= colorCount
        default: return false
        }
    }
}

// MARK: - Colors

/// The chunks of a PNG that say what its colors mean. One overrides the other: PNG specification (third edition),
/// section 4.3.
struct PNGColors {
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
    var numberedCoding: ColorCoding? {
        guard let numbers = numbers.map(Array.init) else { return nil }
        return ColorCoding(primaries: Int(numbers[0]), transfer: Int(numbers[1]), hasHeadroom: numbers[3] == 0)
    }

    /// The coding that the picture's gamma and primaries describe. `nil` if it is sRGB, or another chunk overrides them.
    var measuredCoding: ColorCoding? {
        guard numbers == nil, !hasProfile, !isStandard else { return nil }
        var coding = ColorCoding(primaries: .standard, transfer: .standard)
        if let value = gamma.flatMap(Self.values)?.first, !Self.standardGammas.contains(value) {
            coding.transfer = .gamma(100_000 / Float(value))
        }
        if let values = chromaticities.flatMap(Self.values) {
            let points = stride(from: 0, to: 8, by: 2).map { index in
                Chromaticity(Float(values[index]) / 100_000, Float(values[index + 1]) / 100_000)
            }
            coding.primaries = ColorPrimaries(red: points[1], green: points[2], blue: points[3], white: points[0])
        }
        return coding.isStandard ? nil : coding
    }

    /// The chunks that a picture needs in order to keep its colors.
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

    /// Returns `true` for real points: with a vertical coordinate of 0, a color would have no brightness.
    private static func areChromaticities(_ data: ArraySlice<UInt8>) -> Bool {
        guard data.count == 32, let values = values(data), values.allSatisfy(coordinates.contains) else { return false }
        return stride(from: 1, to: 8, by: 2).allSatisfy { values[$0] > 0 }
    }
}

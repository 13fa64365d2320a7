import DecoderWire
import Media

/// The codings of all pictures in a HEIF file, whichever of them a decoder would choose: ISO/IEC 23008-12, section 9.3,
/// and ISO/IEC 14496-12, section 8.11.6.
struct HEIFCodecs {
    /// The most bytes of one `meta` box, and the most boxes of the file.
    private static let byteLimit = 1 << 20
    private static let boxLimit = 64

    /// The types of items and of their properties that tell a codec.
    private static let codecs: [String: MediaCodec] = [
        "hvc1": .hevc, "lhv1": .hevc, "hvcC": .hevc, "lhvC": .hevc,
        "av01": .av1, "av1C": .av1,
        "avc1": .h264, "avcC": .h264,
        "mjpg": .mjpeg,
    ]

    private var types: Set<String> = []
    /// A Boolean value that indicates whether the file lists its pictures, and all lists were read.
    private var isKnown = false
    private let source: any SourceBytes

    init(of source: any SourceBytes) { self.source = source }

    /// Throws if a picture of the file has a coding that is switched off. Also throws if one of these is off and the
    /// file doesn't tell its codings, because a decoder may find more in it.
    consuming func check(against disabled: DisabledFormats) throws(DecodeError) {
        let isConcerned = Self.codecs.values.contains(where: disabled.refuses) || disabled.formats.contains(.jpeg)
        guard isConcerned else { return }
        isKnown = readBoxes() && isKnown
        let isOff = types.contains { Self.codecs[$0].map(disabled.refuses) == true }
        guard isKnown, !isOff, !(types.contains("jpeg") && disabled.formats.contains(.jpeg)) else {
            throw DecodeError.disabled("the coding of a picture")
        }
    }

    /// Reads every `meta` box of the file, because readers differ in which of them counts. Returns `false` if the boxes
    /// don't end with the file.
    private mutating func readBoxes() -> Bool {
        var offset = 0
        for _ in 0..<Self.boxLimit {
            guard let start = source.bytes(at: offset, count: 8) else { return true }
            var reader = ContainerReader(start)
            guard var length = reader.bigEndian(4), let type = reader.take(4) else { return false }
            var headerLength = 8
            if length == 1 {
                guard let long = source.bytes(at: offset + 8, count: 8) else { return false }
                var reader = ContainerReader(long)
                guard let value = reader.bigEndian(8) else { return false }
                (length, headerLength) = (value, 16)
            }
            let isMeta = type.elementsEqual("meta".utf8)
            // Such a box reaches to the end of the file.
            if length == 0 { return !isMeta }
            guard length >= headerLength, length < Int.max - offset else { return false }
            if isMeta {
                let start = offset + headerLength + 4
                guard length <= Self.byteLimit, length >= headerLength + 4,
                    let content = source.bytes(at: start, count: offset + length - start)
                else { return false }
                read(content[...])
            }
            offset += length
        }
        return false
    }

    private mutating func read(_ meta: ArraySlice<UInt8>) {
        var boxes = BoxReader(meta)
        while let box = boxes.next() {
            switch box.type {
            case "iinf": readItems(box.content)
            case "iprp": readProperties(box.content)
            default: break
            }
        }
    }

    private mutating func readItems(_ content: ArraySlice<UInt8>) {
        // A version of four bytes with the flags, and the number of items, of which nothing is believed.
        guard let version = content.first else { return }
        isKnown = true
        var items = BoxReader(content.dropFirst(version == 0 ? 6 : 8))
        while let item = items.next() {
            guard item.type == "infe" else { continue }
            var reader = ContainerReader(item.content)
            guard let version = reader.bigEndian(4).map({ $0 >> 24 }), version >= 2,
                reader.take(version == 2 ? 4 : 6) != nil, let type = reader.take(4)
            else {
                isKnown = false
                return
            }
            types.insert(String(decoding: type, as: UTF8.self))
        }
    }

    private mutating func readProperties(_ content: ArraySlice<UInt8>) {
        var boxes = BoxReader(content)
        while let box = boxes.next() {
            guard box.type == "ipco" else { continue }
            var properties = BoxReader(box.content)
            while let property = properties.next() { types.insert(property.type) }
        }
    }
}

// MARK: - AV1

/// The colors in the sequence header of an AV1 bitstream: AV1 specification, section 5.5.
struct AV1Sequence {
    private(set) var primaries = 2
    private(set) var transfer = 2
    private(set) var matrix = 2
    private(set) var isFullRange = false

    /// Reads the first unit of `bytes`. Returns `nil` if it isn't a whole sequence header.
    init?(_ bytes: [UInt8]) {
        var bits = BitReader(bytes)
        // The unit's header and its length, of seven bits a byte.
        guard bits.take(1) == 0, bits.take(4) == 1, let hasExtension = bits.take(1), let hasLength = bits.take(1),
            bits.skip(1 + 8 * hasExtension)
        else { return nil }
        if hasLength == 1 { while let byte = bits.take(8), byte & 0x80 != 0 {} }
        guard let profile = bits.take(3), bits.skip(1), let isReduced = bits.take(1),
            isReduced == 1 ? bits.skip(5) : Self.skipTimes(&bits), Self.skipSize(&bits, isReduced == 1),
            Self.skipTools(&bits, isReduced == 1), readColors(&bits, profile)
        else { return nil }
    }

    /// Skips times and operating points.
    private static func skipTimes(_ bits: inout BitReader) -> Bool {
        guard let hasTimes = bits.take(1) else { return false }
        var delayLength = 0
        if hasTimes == 1 {
            guard bits.skip(64), let isEqual = bits.take(1), isEqual == 0 || bits.skipUnsigned(),
                let hasModel = bits.take(1)
            else { return false }
            if hasModel == 1 {
                guard let length = bits.take(5), bits.skip(42) else { return false }
                delayLength = length + 1
            }
        }
        guard let hasInitialDelay = bits.take(1), let points = bits.take(5) else { return false }
        for _ in 0...points {
            guard bits.skip(12), let level = bits.take(5), bits.skip(level > 7 ? 1 : 0) else { return false }
            if delayLength > 0 {
                guard let hasModel = bits.take(1), bits.skip(hasModel * (2 * delayLength + 1)) else { return false }
            }
            if hasInitialDelay == 1 {
                guard let hasDelay = bits.take(1), bits.skip(4 * hasDelay) else { return false }
            }
        }
        return true
    }

    private static func skipSize(_ bits: inout BitReader, _ isReduced: Bool) -> Bool {
        guard let width = bits.take(4), let height = bits.take(4), bits.skip(width + height + 2) else { return false }
        guard !isReduced else { return true }
        guard let hasNumbers = bits.take(1) else { return false }
        return bits.skip(7 * hasNumbers)
    }

    private static func skipTools(_ bits: inout BitReader, _ isReduced: Bool) -> Bool {
        guard bits.skip(3) else { return false }
        if !isReduced {
            guard bits.skip(4), let hasOrder = bits.take(1), bits.skip(2 * hasOrder), let choosesTools = bits.take(1),
                let tools = choosesTools == 1 ? 2 : bits.take(1)
            else { return false }
            if tools > 0 {
                guard let choosesVectors = bits.take(1), bits.skip(1 - choosesVectors) else { return false }
            }
            guard bits.skip(3 * hasOrder) else { return false }
        }
        return bits.skip(3)
    }

    /// Reads section 5.5.2.
    private mutating func readColors(_ bits: inout BitReader, _ profile: Int) -> Bool {
        guard let isDeep = bits.take(1), profile != 2 || isDeep == 0 || bits.skip(1),
            let isMonochrome = profile == 1 ? 0 : bits.take(1), let isDescribed = bits.take(1)
        else { return false }
        if isDescribed == 1 {
            guard let first = bits.take(8), let second = bits.take(8), let third = bits.take(8) else { return false }
            (primaries, transfer, matrix) = (first, second, third)
        }
        if isMonochrome == 0, (primaries, transfer, matrix) == (1, 13, 0) {
            isFullRange = true
            return true
        }
        guard let range = bits.take(1) else { return false }
        isFullRange = range == 1
        return true
    }
}

/// A reader of numbers of any number of bits, most significant bit first.
private struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a number of up to 32 bits.
    mutating func take(_ count: Int) -> Int? {
        guard count <= bytes.count * 8 - position else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
            position += 1
        }
        return value
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count * 8 - position else { return false }
        position += count
        return true
    }

    /// Skips a number of variable length: section 4.10.3.
    mutating func skipUnsigned() -> Bool {
        var zeros = 0
        while let bit = take(1) { if bit == 1 { return skip(zeros) } else { zeros += 1 } }
        return false
    }
}

/// The colours in the sequence header of an AV1 bitstream: AV1 specification, section 5.5.
struct AV1Sequence {
    private(set) var primaries = 2
    private(set) var transfer = 2
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
            Self.skipTools(&bits, isReduced == 1), readColours(&bits, profile)
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
    private mutating func readColours(_ bits: inout BitReader, _ profile: Int) -> Bool {
        guard let isDeep = bits.take(1), profile != 2 || isDeep == 0 || bits.skip(1),
            let isMonochrome = profile == 1 ? 0 : bits.take(1), let isDescribed = bits.take(1)
        else { return false }
        var matrix = 2
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

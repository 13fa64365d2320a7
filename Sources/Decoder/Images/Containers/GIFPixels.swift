/// The compressed pixels of a GIF's image: GIF89a specification, appendix F.
struct GIFPixels {
    private static let mostCodes = 4096

    /// The number of bytes up to the code that ends the image. Others may follow, which no reader needs.
    let byteCount: Int
    /// The colours that the pixels have.
    let used: Set<UInt8>

    /// Goes through the codes, each of which stands for a run of pixels.
    ///
    /// - Returns: `nil` unless the codes are valid and stand for exactly `count` pixels.
    init?(_ data: [UInt8], codeSize: Int, count: Int) {
        guard (2...8).contains(codeSize) else { return nil }
        let (clear, end) = (1 << codeSize, 1 << codeSize + 1)
        var codes = Codes(data)
        // The number of pixels of each code.
        var lengths = [Int](repeating: 1, count: Self.mostCodes)
        var isUsed = [Bool](repeating: false, count: 256)
        var next = end + 1
        var width = codeSize + 1
        var previous: Int?
        var left = count
        while let code = codes.next(width) {
            if code == end { break }
            if code == clear {
                (next, width, previous) = (end + 1, codeSize + 1, nil)
                continue
            }
            guard code < clear || (previous != nil && code <= next && code < Self.mostCodes) else { return nil }
            if let previous, next < Self.mostCodes {
                lengths[next] = lengths[previous] + 1
                next += 1
                if next == 1 << width, width < 12 { width += 1 }
            }
            guard code < next else { return nil }
            if code < clear { isUsed[code] = true }
            left -= lengths[code]
            guard left >= 0 else { return nil }
            previous = code
        }
        // Some writers leave out the code at the end, but then nothing may follow.
        guard left == 0, codes.lastCode == end || codes.position == data.count else { return nil }
        byteCount = codes.position
        used = Set(isUsed.indices.filter { isUsed[$0] }.map { UInt8(truncatingIfNeeded: $0) })
    }

    /// The codes in a row of bytes, from the lowest bit on.
    private struct Codes {
        private let data: [UInt8]
        /// The number of bytes that were read.
        private(set) var position = 0
        private(set) var lastCode: Int?
        private var bits = 0
        private var bitCount = 0

        init(_ data: [UInt8]) { self.data = data }

        mutating func next(_ width: Int) -> Int? {
            while bitCount < width {
                guard position < data.count else { return nil }
                bits |= Int(data[position]) << bitCount
                bitCount += 8
                position += 1
            }
            let code = bits & (1 << width - 1)
            bits >>= width
            bitCount -= width
            lastCode = code
            return code
        }
    }
}

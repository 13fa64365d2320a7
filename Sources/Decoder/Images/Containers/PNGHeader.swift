import Values

/// The first chunk of a PNG: ISO/IEC 15948, section 11.2.2.
struct PNGHeader {
    private let width: Int
    private let height: Int
    private let depth: Int
    private let colourType: UInt8
    private let isInterlaced: Bool

    /// Returns `nil` for values that the standard doesn't allow.
    init?(_ data: ArraySlice<UInt8>) {
        var reader = ContainerReader(data)
        guard data.count == 13, let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let depth = reader.byte(), let colourType = reader.byte(), reader.take(2) == [0, 0],
            let interlacing = reader.byte(), interlacing <= 1, width > 0, height > 0,
            Self.depths(of: colourType).contains(depth)
        else { return nil }
        self.width = width
        self.height = height
        self.depth = Int(depth)
        self.colourType = colourType
        isInterlaced = interlacing == 1
    }

    var isPaletted: Bool { colourType == 3 }

    private static func depths(of colourType: UInt8) -> [UInt8] {
        switch colourType {
        case 0: [1, 2, 4, 8, 16]
        case 2, 4, 6: [8, 16]
        case 3: [1, 2, 4, 8]
        default: []
        }
    }

    private var bitsPerPixel: Int {
        switch colourType {
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

    /// Returns `true` if `data` is the transparency of this picture, whose palette has `colourCount` colours: section
    /// 11.3.2.1.
    func isTransparency(_ data: ArraySlice<UInt8>, colourCount: Int) -> Bool {
        switch colourType {
        case 0, 2:
            var reader = ContainerReader(data)
            guard data.count == (colourType == 0 ? 2 : 6) else { return false }
            while let value = reader.bigEndian(2) { guard value < 1 << depth else { return false } }
            return true
        case 3: return !data.isEmpty && data.count <= colourCount
        default: return false
        }
    }
}

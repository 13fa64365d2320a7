import DecoderWire

/// The container of a GIF (GIF89a specification): a screen, then blocks of images and extensions.
enum GIFContainer {
    /// Returns the same coded images, times, and number of loops, without comments, text, other applications' data,
    /// colors that no pixel has, and any byte that is not part of an image.
    ///
    /// The result follows the specification strictly, so that every reader shows it: each image is whole and lies within
    /// the screen.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limit: The most bytes of the result.
    /// - Returns: `nil` if the file is malformed or the result has more bytes than the limit.
    static func stripped(_ bytes: [UInt8], limit: Int = .max) -> [UInt8]? {
        var reader = ContainerReader(bytes)
        guard let header = reader.take(13).map(Array.init), header.starts(with: "GIF8".utf8),
            let screen = screen(of: header),
            let colors = colorTable(&reader, flags: header[10])
        else { return nil }
        var parts = Parts(screen: screen, colors: colors)
        while let introducer = reader.byte() {
            switch introducer {
            case Block.trailer:
                return parts.file(header, limit: limit)
            case Block.picture:
                let control = parts.takeControl()
                guard parts.byteCount <= limit,
                    let image = GIFImage(
                        &reader,
                        screenColors: colors,
                        control: control,
                        within: screen,
                        limit: limit
                    )
                else { return nil }
                parts.add(image)
            case Block.extension:
                guard let label = reader.byte(), let data = subBlocks(&reader), parts.add(label, data) else {
                    return nil
                }
            default:
                return nil
            }
        }
        // Readers do not miss the trailer.
        return parts.file(header, limit: limit)
    }

    /// Returns the width and height of the screen. A decoder may enlarge it for a frame that does not fit.
    static func screen(of bytes: some RandomAccessCollection<UInt8>) -> PixelSize? {
        var reader = ContainerReader(Array(bytes.prefix(10)))
        guard reader.take(6) != nil, let width = reader.littleEndian(2), let height = reader.littleEndian(2), width > 0,
            height > 0
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    private enum Block {
        static let picture: UInt8 = 0x2C
        static let `extension`: UInt8 = 0x21
        static let trailer: UInt8 = 0x3B
        static let graphicControl: UInt8 = 0xF9
        static let application: UInt8 = 0xFF
    }

    /// The parts of a file that are kept.
    private struct Parts {
        private static let loopHeader: [UInt8] = [11] + Array("NETSCAPE2.0".utf8) + [3, 1]

        private let screen: PixelSize
        private var colors: [UInt8]
        /// The colors of the screen's table that an image uses.
        private var used = Set<UInt8>()
        private var images: [UInt8] = []
        /// The bytes that control the next image: its time and transparency.
        private var control: [UInt8]?
        private var loops: [UInt8]?

        init(screen: PixelSize, colors: ArraySlice<UInt8>) {
            self.screen = screen
            self.colors = Array(colors)
        }

        var byteCount: Int { colors.count + images.count }

        /// Keeps the extensions with a fixed length that a reader needs: the next frame's time and transparency, and the
        /// number of loops. Returns `false` for an image that is controlled twice, or wrongly: readers differ then.
        mutating func add(_ label: UInt8, _ data: [UInt8]) -> Bool {
            switch label {
            case Block.graphicControl:
                guard control == nil, data.count == 6, data[0] == 4 else { return false }
                control = Array(data[1..<5])
            case Block.application where data.count == 17 && data.starts(with: Self.loopHeader):
                loops = data
            default: break
            }
            return true
        }

        mutating func takeControl() -> [UInt8]? {
            defer { control = nil }
            return control
        }

        mutating func add(_ image: GIFImage) {
            images += image.bytes
            if image.usesScreenColors { used.formUnion(image.used) }
        }

        func file(_ header: [UInt8], limit: Int) -> [UInt8]? {
            guard !images.isEmpty else { return nil }
            var colors = colors
            // The background has a color of its own.
            let kept = used.union(colors.isEmpty ? [] : [header[11]])
            GIFContainer.clear(&colors, except: kept)
            let background = colors.isEmpty ? 0 : header[11]
            let flags = colors.isEmpty ? header[10] & 0x70 : header[10]
            var file = Array("GIF89a".utf8) + header[6..<10] + [flags, background, 0] + colors
            if let loops { file += [Block.extension, Block.application] + loops }
            file += images + [Block.trailer]
            return file.count <= limit ? file : nil
        }
    }

    /// Blackens all colors of a table but those in `kept`.
    static func clear(_ colors: inout [UInt8], except kept: Set<UInt8>) {
        for index in 0..<colors.count where !kept.contains(UInt8(index / 3)) { colors[index] = 0 }
    }

    static func colorTable(_ reader: inout ContainerReader, flags: UInt8) -> ArraySlice<UInt8>? {
        reader.take(flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
    }

    /// Reads blocks of bytes, each after its length, up to the block of length 0. Returns them with the lengths.
    private static func subBlocks(_ reader: inout ContainerReader) -> [UInt8]? {
        var data: [UInt8] = []
        while let length = reader.byte(), let run = reader.take(Int(length)) {
            data.append(length)
            data += run
            if length == 0 { return data }
        }
        return nil
    }
}

// MARK: - Images

/// One image of a GIF, with what its pixels need and nothing else: GIF89a specification, sections 20 to 23.
struct GIFImage {
    /// The extension with its time and transparency, the descriptor, the colors, and the compressed pixels.
    let bytes: [UInt8]
    let usesScreenColors: Bool
    /// The colors that its pixels have.
    let used: Set<UInt8>

    /// Reads an image after its introducer. Fails if the image is not valid.
    ///
    /// - Parameters:
    ///   - reader: The file.
    ///   - screenColors: The colors of an image that has none of its own.
    ///   - control: The flags, the time, and the transparent color.
    ///   - screen: The area that the image must not leave.
    ///   - limit: The most bytes of compressed pixels.
    init?(
        _ reader: inout ContainerReader,
        screenColors: ArraySlice<UInt8>,
        control: [UInt8]?,
        within screen: PixelSize,
        limit: Int,
    ) {
        guard let place = reader.take(8) else { return nil }
        var sides = ContainerReader(place)
        guard let left = sides.littleEndian(2), let top = sides.littleEndian(2),
            let width = sides.littleEndian(2), let height = sides.littleEndian(2),
            width > 0, height > 0, left + width <= screen.width, top + height <= screen.height,
            let flags = reader.byte(), let table = GIFContainer.colorTable(&reader, flags: flags),
            !(table.isEmpty && screenColors.isEmpty),
            let codeSize = reader.byte(), let data = Self.joinedBlocks(&reader, limit: limit),
            let pixels = GIFPixels(data, codeSize: Int(codeSize), count: width * height)
        else { return nil }
        let colorCount = (table.isEmpty ? screenColors.count : table.count) / 3
        guard pixels.used.allSatisfy({ Int($0) < colorCount }) else { return nil }
        var colors = Array(table)
        GIFContainer.clear(&colors, except: pixels.used)
        usesScreenColors = colors.isEmpty
        used = pixels.used
        // The interlacing, and the size of the table.
        let kept = flags & (colors.isEmpty ? 0x40 : 0xC7)
        bytes =
            Self.extension(control) + [0x2C] + place + [kept] + colors + [codeSize]
            + Self.blocks(data.prefix(pixels.byteCount))
    }

    private static func `extension`(_ control: [UInt8]?) -> [UInt8] {
        guard let control else { return [] }
        let flags = control[0] & 0x1F
        let transparent = flags & 1 == 0 ? 0 : control[3]
        return [0x21, 0xF9, 4, flags, control[1], control[2], transparent, 0]
    }

    /// Returns the content of the blocks up to the empty one; `nil` if it has more bytes than the limit.
    private static func joinedBlocks(_ reader: inout ContainerReader, limit: Int) -> [UInt8]? {
        var data: [UInt8] = []
        while let length = reader.byte(), let run = reader.take(Int(length)) {
            if length == 0 { return data }
            data += run
            guard data.count <= limit else { return nil }
        }
        return nil
    }

    private static func blocks(_ data: ArraySlice<UInt8>) -> [UInt8] {
        var blocks: [UInt8] = []
        blocks.reserveCapacity(data.count + data.count / 255 + 2)
        var rest = data
        while !rest.isEmpty {
            let block = rest.prefix(255)
            blocks.append(UInt8(block.count))
            blocks += block
            rest = rest.dropFirst(255)
        }
        return blocks + [0]
    }
}

// MARK: - Pixels

/// The compressed pixels of a GIF's image: GIF89a specification, appendix F.
struct GIFPixels {
    private static let mostCodes = 4096

    /// The number of bytes up to the code that ends the image. Others may follow, which no reader needs.
    let byteCount: Int
    /// The colors that the pixels have.
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

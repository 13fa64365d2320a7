import DecoderWire

/// One image of a GIF, with what its pixels need and nothing else: GIF89a specification, sections 20 to 23.
struct GIFImage {
    /// The extension with its time and transparency, the descriptor, the colours, and the compressed pixels.
    let bytes: [UInt8]
    let usesScreenColours: Bool
    /// The colours that its pixels have.
    let used: Set<UInt8>

    /// Reads an image after its introducer. Fails if the image is not valid.
    ///
    /// - Parameters:
    ///   - reader: The file.
    ///   - screenColours: The colours of an image that has none of its own.
    ///   - control: The flags, the time, and the transparent colour.
    ///   - screen: The area that the image must not leave.
    ///   - limit: The most bytes of compressed pixels.
    init?(
        _ reader: inout ContainerReader,
        screenColours: ArraySlice<UInt8>,
        control: [UInt8]?,
        within screen: PixelSize,
        limit: Int,
    ) {
        guard let place = reader.take(8) else { return nil }
        var sides = ContainerReader(place)
        guard let left = sides.littleEndian(2), let top = sides.littleEndian(2),
            let width = sides.littleEndian(2), let height = sides.littleEndian(2),
            width > 0, height > 0, left + width <= screen.width, top + height <= screen.height,
            let flags = reader.byte(), let table = GIFContainer.colourTable(&reader, flags: flags),
            !(table.isEmpty && screenColours.isEmpty),
            let codeSize = reader.byte(), let data = Self.joinedBlocks(&reader, limit: limit),
            let pixels = GIFPixels(data, codeSize: Int(codeSize), count: width * height)
        else { return nil }
        let colourCount = (table.isEmpty ? screenColours.count : table.count) / 3
        guard pixels.used.allSatisfy({ Int($0) < colourCount }) else { return nil }
        var colours = Array(table)
        GIFContainer.clear(&colours, except: pixels.used)
        usesScreenColours = colours.isEmpty
        used = pixels.used
        // The interlacing, and the size of the table.
        let kept = flags & (colours.isEmpty ? 0x40 : 0xC7)
        bytes =
            Self.extension(control) + [0x2C] + place + [kept] + colours + [codeSize]
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

import DecoderWire

/// The container of a GIF (GIF89a specification): a screen, then blocks of images and extensions.
enum GIFContainer {
    /// Returns the same coded images, times, and number of loops, without comments, text, other applications' data,
    /// colours that no pixel has, and any byte that is not part of an image.
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
            let colours = colourTable(&reader, flags: header[10])
        else { return nil }
        var parts = Parts(screen: screen, colours: colours)
        while let introducer = reader.byte() {
            switch introducer {
            case Block.trailer:
                return parts.file(header, limit: limit)
            case Block.picture:
                let control = parts.takeControl()
                guard parts.byteCount <= limit,
                    let image = GIFImage(
                        &reader,
                        screenColours: colours,
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
        return nil
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
        private var colours: [UInt8]
        /// The colours of the screen's table that an image uses.
        private var used = Set<UInt8>()
        private var images: [UInt8] = []
        /// The bytes that control the next image: its time and transparency.
        private var control: [UInt8]?
        private var loops: [UInt8]?

        init(screen: PixelSize, colours: ArraySlice<UInt8>) {
            self.screen = screen
            self.colours = Array(colours)
        }

        var byteCount: Int { colours.count + images.count }

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
            if image.usesScreenColours { used.formUnion(image.used) }
        }

        func file(_ header: [UInt8], limit: Int) -> [UInt8]? {
            guard !images.isEmpty else { return nil }
            var colours = colours
            // The background has a colour of its own.
            let kept = used.union(colours.isEmpty ? [] : [header[11]])
            GIFContainer.clear(&colours, except: kept)
            let background = colours.isEmpty ? 0 : header[11]
            let flags = colours.isEmpty ? header[10] & 0x70 : header[10]
            var file = Array("GIF89a".utf8) + header[6..<10] + [flags, background, 0] + colours
            if let loops { file += [Block.extension, Block.application] + loops }
            file += images + [Block.trailer]
            return file.count <= limit ? file : nil
        }
    }

    /// Blackens all colours of a table but those in `kept`.
    static func clear(_ colours: inout [UInt8], except kept: Set<UInt8>) {
        for index in 0..<colours.count where !kept.contains(UInt8(index / 3)) { colours[index] = 0 }
    }

    static func colourTable(_ reader: inout ContainerReader, flags: UInt8) -> ArraySlice<UInt8>? {
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

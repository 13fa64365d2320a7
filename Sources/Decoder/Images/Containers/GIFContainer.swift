import DecoderWire

/// The container of a GIF (GIF89a specification): a screen, then blocks of images and extensions.
enum GIFContainer {
    /// Returns the same coded images, times, and number of loops, without comments, text, other applications' data, and
    /// trailing data.
    ///
    /// - Returns: `nil` if the file is malformed.
    static func stripped(_ bytes: [UInt8]) -> [UInt8]? {
        var reader = ContainerReader(bytes)
        guard let header = reader.take(13), header.starts(with: "GIF8".utf8),
            let colours = colourTable(&reader, flags: header[10])
        else { return nil }
        var result = Array("GIF89a".utf8) + header[6...] + colours
        result.reserveCapacity(bytes.count)
        while let introducer = reader.byte() {
            switch introducer {
            case Block.trailer:
                return result + [introducer]
            case Block.picture:
                guard let descriptor = reader.take(9), let flags = descriptor.last,
                    let colours = colourTable(&reader, flags: flags),
                    let codeSize = reader.byte(), let data = subBlocks(&reader)
                else { return nil }
                result += [introducer] + descriptor + colours + [codeSize] + data
            case Block.extension:
                guard let label = reader.byte(), let data = subBlocks(&reader) else { return nil }
                guard isKept(label, data) else { continue }
                result += [introducer, label] + data
            default:
                return nil
            }
        }
        return nil
    }

    /// Returns the width and height of the screen. A decoder may enlarge it for a frame that does not fit.
    static func screen(of bytes: [UInt8]) -> PixelSize? {
        guard bytes.count >= 10 else { return nil }
        return PixelSize(width: Int(bytes[6]) | Int(bytes[7]) << 8, height: Int(bytes[8]) | Int(bytes[9]) << 8)
    }

    private enum Block {
        static let picture: UInt8 = 0x2C
        static let `extension`: UInt8 = 0x21
        static let trailer: UInt8 = 0x3B
        static let graphicControl: UInt8 = 0xF9
        static let application: UInt8 = 0xFF
    }

    /// Returns `true` for the extensions to keep, which have fixed lengths: a frame's time and transparency, and the
    /// number of loops.
    private static func isKept(_ label: UInt8, _ data: [UInt8]) -> Bool {
        switch label {
        case Block.graphicControl: data.count == 6
        case Block.application: data.count == 17 && data.starts(with: [11] + Array("NETSCAPE2.0".utf8) + [3, 1])
        default: false
        }
    }

    private static func colourTable(_ reader: inout ContainerReader, flags: UInt8) -> ArraySlice<UInt8>? {
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

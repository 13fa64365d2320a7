/// A walk through a GIF from its first byte to its last (GIF89a specification): the screen, images with their times, the
/// number of loops, and nothing else.
///
/// The codes of an image are a matter of pixels.
struct GIFWalk {
    let width: Int
    let height: Int
    private var offset = 13
    private var hasLoops = false
    private var hasControl = false
    private var hasImage = false

    /// The blocks' first bytes.
    private enum Block {
        static let (image, extension_, trailer): (UInt8, UInt8, UInt8) = (0x2C, 0x21, 0x3B)
    }

    /// Walks through the picture. Returns `nil` if anything but the picture is in the bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.bigEndian(at: 0, byteCount: 4) == 0x4749_4638,
            let width = bytes.littleEndian(at: 6, byteCount: 2), let height = bytes.littleEndian(at: 8, byteCount: 2),
            bytes.count > 13
        else { return nil }
        (self.width, self.height) = (width, height)
        offset += Self.tableByteCount(bytes[10])
        while offset < bytes.count {
            let block = bytes[offset]
            offset += 1
            switch block {
            case Block.image: guard skipImage(bytes) else { return nil }
            case Block.extension_: guard skipExtension(bytes) else { return nil }
            case Block.trailer:
                // A control belongs to the image behind it.
                guard hasImage, !hasControl, offset == bytes.count else { return nil }
                return
            default: return nil
            }
        }
        return nil
    }

    private static func tableByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    private mutating func skipImage(_ bytes: Span<UInt8>) -> Bool {
        guard offset + 9 < bytes.count else { return false }
        offset += 9 + Self.tableByteCount(bytes[offset + 8])
        guard offset < bytes.count, 2...8 ~= bytes[offset] else { return false }
        offset += 1
        (hasImage, hasControl) = (true, false)
        while offset < bytes.count {
            let length = Int(bytes[offset])
            offset += 1 + length
            if length == 0 { return true }
        }
        return false
    }

    /// Goes over the time of the next image, or the number of loops. Returns `false` for every other extension.
    private mutating func skipExtension(_ bytes: Span<UInt8>) -> Bool {
        if bytes.bigEndian(at: offset, byteCount: 2) == 0xF904 {
            guard !hasControl, bytes.bigEndian(at: offset + 6, byteCount: 1) == 0 else { return false }
            hasControl = true
            offset += 7
            return true
        }
        // The application NETSCAPE2.0, and one block with the number 1 and the loops.
        guard !hasLoops, !hasControl, bytes.bigEndian(at: offset, byteCount: 2) == 0xFF0B,
            bytes.bigEndian(at: offset + 2, byteCount: 7) == 0x4E_4554_5343_4150,
            bytes.bigEndian(at: offset + 9, byteCount: 4) == 0x4532_2E30,
            bytes.bigEndian(at: offset + 13, byteCount: 2) == 0x0301,
            bytes.bigEndian(at: offset + 17, byteCount: 1) == 0
        else { return false }
        hasLoops = true
        offset += 18
        return true
    }
}

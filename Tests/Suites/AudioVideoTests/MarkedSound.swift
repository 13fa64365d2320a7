import Support

/// Sound with a mark in each frame, where its format has room for others' bytes.
enum MarkedSound {
    enum Place { case dataStream, fill, behindEnd }

    static let places = [Place.dataStream, .fill, .behindEnd]
    private static let tone = FFmpeg.input("sine=d=1.5:f=440")

    /// Returns AAC in ADTS (ISO/IEC 14496-3, 1.A.2.2) with a mark in each frame.
    static func aac(_ mark: [UInt8], _ place: Place) throws -> [UInt8] {
        let stream = try FFmpeg.make("a.aac", tone + ["-f", "adts"])
        var marked: [UInt8] = []
        var offset = 0
        while offset + 7 <= stream.count {
            let length = Int(stream[offset + 3] & 3) << 11 | Int(stream[offset + 4]) << 3 | Int(stream[offset + 5] >> 5)
            let data = Self.marked(stream[offset + 7..<offset + length], mark, place)
            var header = Array(stream[offset..<offset + 7])
            let count = 7 + data.count
            header[3] = header[3] & 0xFC | UInt8(count >> 11)
            header[4] = UInt8(count >> 3 & 0xFF)
            header[5] = UInt8(count & 7) << 5 | header[5] & 31
            marked += header + data
            offset += length
        }
        return marked
    }

    /// Returns the data of a frame with the mark in an element of its own (4.4.2.1), or behind the last one.
    private static func marked(_ data: ArraySlice<UInt8>, _ mark: [UInt8], _ place: Place) -> [UInt8] {
        switch place {
        case .behindEnd: return data + mark
        // Element 4, aligned to bytes: the number of bytes, and these.
        case .dataStream: return [0x81, UInt8(mark.count)] + mark + data
        case .fill:
            // Element 6 with a long number of bytes, which begin at the bit 15, so the mark is one bit later, and what
            // follows begins one bit before a byte.
            let mark = mark + mark
            let count = mark.count + 2
            let head = 0b110_1111 << 8 | (count - 14)
            var bits = (0..<15).map { head >> (14 - $0) & 1 } + [Int](repeating: 0, count: 9)
            bits += mark.flatMap { byte in (0..<8).map { Int(byte) >> (7 - $0) & 1 } } + [Int](repeating: 0, count: 7)
            bits += data.flatMap { byte in (0..<8).map { Int(byte) >> (7 - $0) & 1 } } + [0]
            return stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
            }
        }
    }

    /// Returns MP3 (ISO/IEC 11172-3, 2.4.1) with a mark behind the last code of each frame, where no other frame's begin.
    static func mp3(_ mark: [UInt8]) throws -> [UInt8] {
        let plain = ["-write_xing", "0", "-id3v2_version", "0", "-reservoir", "0", "-b:a", "320k", "-ar", "48000"]
        var stream = try FFmpeg.make("a.mp3", tone + ["-c:a", "libmp3lame", "-ac", "1"] + plain)
        // 960 bytes each, with 17 of side information that give the bits of both granules.
        for frame in stride(from: 0, through: stream.count - 960, by: 960) {
            let side = stream[frame + 4..<frame + 21].flatMap { byte in (0..<8).map { Int(byte) >> (7 - $0) & 1 } }
            let used = [18, 18 + 59].reduce(0) { $0 + side[$1..<$1 + 12].reduce(0) { $0 << 1 | $1 } }
            let start = frame + 21 + (used + 7) / 8
            guard side[..<9].allSatisfy({ $0 == 0 }), start + mark.count <= frame + 960 else { continue }
            stream.replaceSubrange(start..<start + mark.count, with: mark)
        }
        return stream
    }
}

/// The edit lists of a finished movie: the part of each track that is shown (ISO/IEC 14496-12, 8.6.6).
///
/// libav writes an edit list that hides everything before the start. This type makes the edits shorter, to hide packets
/// that are needed but shown after the end.
struct MovieEdits {
    private var bytes: [UInt8]

    private struct Box {
        var type: String
        /// The offset of the box's content.
        var start: Int
        var end: Int
    }

    /// Returns `bytes` with no track shown for longer than `microseconds`.
    static func shortened(_ bytes: [UInt8], to microseconds: Int64) -> [UInt8] {
        var movie = MovieEdits(bytes: bytes)
        movie.shorten(to: microseconds)
        return movie.bytes
    }

    private mutating func shorten(to microseconds: Int64) {
        guard let movie = box("moov", in: 0..<bytes.count),
            let header = box("mvhd", in: movie.start..<movie.end),
            let units = number(at: header.start + (isLong(header) ? 20 : 12), byteCount: 4)
        else { return }
        let limit = Int(microseconds) * units / 1_000_000
        var longest = 0
        for track in boxes(in: movie.start..<movie.end) where track.type == "trak" {
            guard let edits = box("edts", in: track.start..<track.end),
                let list = box("elst", in: edits.start..<edits.end),
                let header = box("tkhd", in: track.start..<track.end)
            else { continue }
            let duration = shorten(list, to: limit)
            set(duration, at: header.start + (isLong(header) ? 28 : 20), isLong: isLong(header))
            longest = max(longest, duration)
        }
        guard longest > 0 else { return }
        set(longest, at: header.start + (isLong(header) ? 24 : 16), isLong: isLong(header))
    }

    /// Shortens the edits of one track to at most `limit`, and returns their duration.
    private mutating func shorten(_ list: Box, to limit: Int) -> Int {
        let width = isLong(list) ? 8 : 4
        let count = number(at: list.start + 4, byteCount: 4) ?? 0
        var total = 0
        for index in 0..<count {
            let entry = list.start + 8 + index * (2 * width + 4)
            guard entry + width <= list.end, let duration = number(at: entry, byteCount: width) else { break }
            let shortened = min(duration, limit - total)
            set(shortened, at: entry, isLong: isLong(list))
            total += shortened
        }
        return total
    }

    private func boxes(in range: Range<Int>) -> [Box] {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, let size = number(at: offset, byteCount: 4) {
            let isLarge = size == 1
            let whole = isLarge ? number(at: offset + 8, byteCount: 8) ?? 0 : size
            let header = isLarge ? 16 : 8
            guard whole >= header, whole <= range.upperBound - offset else { break }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            boxes.append(Box(type: type, start: offset + header, end: offset + whole))
            offset += whole
        }
        return boxes
    }

    private func box(_ type: String, in range: Range<Int>) -> Box? { boxes(in: range).first { $0.type == type } }

    /// Returns `true` if a box has 64-bit times, which is its version 1.
    private func isLong(_ box: Box) -> Bool { box.start < bytes.count && bytes[box.start] == 1 }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset + byteCount <= bytes.count else { return nil }
        let pattern = bytes[offset..<offset + byteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: pattern)
    }

    private mutating func set(_ number: Int, at offset: Int, isLong: Bool) {
        let byteCount = isLong ? 8 : 4
        guard offset + byteCount <= bytes.count else { return }
        for index in 0..<byteCount {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * (byteCount - 1 - index)))
        }
    }
}

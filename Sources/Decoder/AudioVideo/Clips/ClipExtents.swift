import CLibav
import Media
import Values

/// The positions of a clip's packets in its source, from the container's index: offset, size, and time of each.
struct ClipExtents {
    /// The largest gap, in bytes, that is read together with the parts around it.
    private static let gapLimit = 65_536

    /// The ranges in the order of the source, at least `gapLimit` apart. Empty if the container has no such index.
    let ranges: [Range<Int>]

    init(of range: ClipRange, in streams: [MediaStream]) {
        let entries = streams.map { Self.entries(of: $0, range) }
        // Reading goes in the order of the source until each stream is past the end of the clip.
        let last = entries.compactMap { entries in entries.first { $0.isBeyondEnd } ?? entries.last }.map(
            \.bytes.upperBound
        )
        let end = last.max() ?? 0
        let packets = ByteRanges(entries.joined().map(\.bytes).filter { $0.upperBound <= end })
        ranges = packets.ranges.reduce(into: []) { joined, range in
            if let previous = joined.last, range.lowerBound - previous.upperBound <= Self.gapLimit {
                joined[joined.count - 1] = previous.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
    }

    private struct Entry {
        var bytes: Range<Int>
        var isBeyondEnd: Bool
    }

    /// Returns the index entries from the key frame at which reading begins.
    private static func entries(of stream: MediaStream, _ range: ClipRange) -> [Entry] {
        let count = stream.indexEntryCount
        let (start, end) = (range.start - ClipReader.seekMargins[0], range.end + ClipReader.slack)
        var entries: [Entry] = []
        for index in 0..<count {
            guard let entry = stream.indexEntry(index), let bytes = entry.bytes else { continue }
            let time = stream.microseconds(entry.timestamp)
            if time > end { break }
            if time <= start, entry.isKeyFrame { entries = [] }
            entries.append(Entry(bytes: bytes, isBeyondEnd: time >= range.end))
        }
        return entries
    }
}

extension AVIndexEntry {
    fileprivate var isKeyFrame: Bool { flags & AVINDEX_KEYFRAME != 0 }

    /// The packet's range in the source; `nil` if the index does not give its size.
    fileprivate var bytes: Range<Int>? {
        guard size > 0, pos >= 0, let start = Int(exactly: pos), let end = SafeSize.sum(start, Int(size)) else {
            return nil
        }
        return start..<end
    }
}

import CLibav
import Media
import Values

/// Where a clip's packets are in its source, by the container's index: each with its place, size and time.
struct ClipExtents {
    /// What lies between two parts is read along with them if it is no more than this.
    private static let gapLimit = 65_536

    /// In the order of the source, at least `gapLimit` apart. Empty where the container has no such index.
    let ranges: [Range<Int>]

    init(of range: ClipRange, in streams: [MediaStream]) {
        let entries = streams.map { Self.entries(of: $0, range) }
        // A clip is read until each stream is past its end, in the order of the source.
        let last = entries.compactMap { entries in entries.first { $0.isBeyondEnd } ?? entries.last }.map(
            \.place.upperBound
        )
        let end = last.max() ?? 0
        let places = ByteRanges(entries.joined().map(\.place).filter { $0.upperBound <= end })
        ranges = places.ranges.reduce(into: []) { joined, range in
            if let previous = joined.last, range.lowerBound - previous.upperBound <= Self.gapLimit {
                joined[joined.count - 1] = previous.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
    }

    private struct Entry {
        var place: Range<Int>
        var isBeyondEnd: Bool
    }

    /// The entries from the key frame on at which reading begins.
    private static func entries(of stream: MediaStream, _ range: ClipRange) -> [Entry] {
        let count = stream.indexEntryCount
        let (start, end) = (range.start - ClipReader.seekMargins[0], range.end + ClipReader.slack)
        var entries: [Entry] = []
        for index in 0..<count {
            guard let entry = stream.indexEntry(index), let place = entry.place else { continue }
            let time = stream.microseconds(entry.timestamp)
            if time > end { break }
            if time <= start, entry.isKeyFrame { entries = [] }
            entries.append(Entry(place: place, isBeyondEnd: time >= range.end))
        }
        return entries
    }
}

extension AVIndexEntry {
    fileprivate var isKeyFrame: Bool { flags & AVINDEX_KEYFRAME != 0 }

    /// `nil` where the index doesn't say how large the packet is.
    fileprivate var place: Range<Int>? {
        guard size > 0, pos >= 0, let start = Int(exactly: pos), let end = SafeSize.sum(start, Int(size)) else {
            return nil
        }
        return start..<end
    }
}

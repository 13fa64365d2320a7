/// A set of byte positions, as sorted ranges that neither overlap nor touch.
package struct ByteRanges: Sendable, Equatable {
    package private(set) var ranges: [Range<Int>] = []

    package init(_ ranges: [Range<Int>] = []) {
        for range in ranges { insert(range) }
    }

    /// Adds `range`, and merges it with ranges that it overlaps or touches.
    package mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let first = ranges.lowestIndex { $0.upperBound >= range.lowerBound }
        var joined = range
        var end = first
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[end].lowerBound)..<max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(joined))
    }

    /// Returns the range that contains `position`.
    package func range(at position: Int) -> Range<Int>? {
        let index = ranges.lowestIndex { $0.upperBound > position }
        return index < ranges.count && ranges[index].contains(position) ? ranges[index] : nil
    }

    /// Returns whether every position of `range` is in the set.
    package func contains(_ range: Range<Int>) -> Bool {
        range.isEmpty || (self.range(at: range.lowerBound)?.upperBound ?? range.lowerBound) >= range.upperBound
    }

    /// Returns the first part of `range` that is not in the set, up to the next position that is.
    package func firstGap(in range: Range<Int>) -> Range<Int>? {
        let start = self.range(at: range.lowerBound)?.upperBound ?? range.lowerBound
        guard start < range.upperBound else { return nil }
        let next = ranges.lowestIndex { $0.lowerBound > start }
        return start..<(next < ranges.count ? min(ranges[next].lowerBound, range.upperBound) : range.upperBound)
    }

    /// The number of positions from 0 on without a gap.
    package var prefixCount: Int { range(at: 0)?.upperBound ?? 0 }

    /// The number of positions in all.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }
}

extension [Range<Int>] {
    /// Returns the first index whose range `isBehind`, or the count. `isBehind` must hold for all ranges after it too.
    fileprivate func lowestIndex(where isBehind: (Range<Int>) -> Bool) -> Int {
        // Nearly all bytes come in order and concern the last range.
        guard let last, isBehind(last) else { return count }
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

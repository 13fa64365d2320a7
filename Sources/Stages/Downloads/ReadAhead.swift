import Media

/// The choice of the next range to request.
struct ReadAhead {
    private let rule: RangeRule
    /// The end of the last request, and the size of a request that continues from there.
    private var end = 0
    private var nextCount: Int

    init(_ rule: RangeRule) {
        self.rule = rule
        nextCount = rule.leastByteCount
    }

    /// Returns the range to request in order to fill the hole `missing`, without bytes that are there already.
    mutating func block(for missing: Range<Int>, in contents: SourceContents) -> Range<Int> {
        let block = guess(missing, contents)
        end = block.upperBound
        return block
    }

    private mutating func guess(_ missing: Range<Int>, _ contents: SourceContents) -> Range<Int> {
        let start = missing.lowerBound
        let size = contents.size ?? .max
        let goesOn = start == end || contents.present.range(at: max(0, start - 1))?.contains(max(0, end - 1)) == true
        nextCount = goesOn ? min(nextCount * 2, rule.mostByteCount) : rule.leastByteCount
        // A reader that wants more than one byte knows what it will read.
        guard contents.wanted.count == 1 else { return missing }
        let isTail = !goesOn && size - start <= rule.tailByteCount
        let last = isTail ? size : min(size, start + nextCount)
        return contents.present.firstGap(in: start..<last) ?? missing
    }
}

import Media

/// Decides what the next range request is for.
struct ReadAhead {
    private let rule: RangeRule
    /// Where the last request ended, and how much a request that goes on from there is for.
    private var end = 0
    private var nextCount: Int

    init(_ rule: RangeRule) {
        self.rule = rule
        nextCount = rule.leastByteCount
    }

    /// The range to ask for, to fill the hole that begins with `missing`; nothing of it is there already.
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
        // Whoever knows what it will read is taken at its word.
        guard contents.wanted.count == 1 else { return missing }
        let isTail = !goesOn && size - start <= rule.tailByteCount
        let last = isTail ? size : min(size, start + nextCount)
        return contents.present.firstGap(in: start..<last) ?? missing
    }
}

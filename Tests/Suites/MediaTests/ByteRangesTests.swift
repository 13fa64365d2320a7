import Base
import Media
import Support
import Testing

@Suite("Byte ranges")
struct ByteRangesTests {
    @Test(
        "ranges that overlap or touch become one",
        arguments: [
            ([0..<5, 5..<9], [0..<9]),
            ([5..<9, 0..<5], [0..<9]),
            ([0..<5, 6..<9], [0..<5, 6..<9]),
            ([0..<2, 4..<6, 8..<10, 1..<9], [0..<10]),
            ([4..<6, 4..<6, 5..<5], [4..<6]),
            ([10..<20, 12..<15], [10..<20]),
            ([10..<20, 0..<1, 30..<31, 1..<2], [0..<2, 10..<20, 30..<31]),
        ] as [([Range<Int>], [Range<Int>])],
    )
    func joined(inserted: [Range<Int>], expected: [Range<Int>]) {
        #expect(ByteRanges(inserted).ranges == expected)
    }

    @Test("a gap ends where the set continues", arguments: [(0..<100, 20..<30), (5..<15, nil), (15..<25, 20..<25)])
    func gap(range: Range<Int>, expected: Range<Int>?) {
        #expect(ByteRanges([0..<20, 30..<40]).firstGap(in: range) == expected)
    }

    @Test("the set contains the inserted positions, and no others")
    func positions() {
        var random = SplitMix(seed: 4)
        for _ in 0..<200 {
            var ranges = ByteRanges()
            var positions = Set<Int>()
            for _ in 0..<12 {
                let start = Int(random.next() % 60)
                let range = start..<start + Int(random.next() % 8)
                ranges.insert(range)
                positions.formUnion(range)
            }
            #expect(ranges.count == positions.count)
            #expect((0..<70).filter { ranges.range(at: $0) != nil } == positions.sorted())
            #expect(ranges.prefixCount == (0..<70).first { !positions.contains($0) })
            let gap = ranges.firstGap(in: 0..<70)
            #expect(gap?.lowerBound == ranges.prefixCount)
            #expect(gap.map { $0.allSatisfy { !positions.contains($0) } } == true)
        }
    }
}

import Base
import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Reading ahead")
struct ReadAheadTests {
    private let rule = RangeRule()

    /// Returns the blocks that are fetched for a reader that wants one byte after the other at `offsets`.
    private func blocks(_ offsets: [Int], size: Int = 300_000_000) throws -> [Range<Int>] {
        let file = try MediaFile(byteLimit: 1)
        file.setSize(size)
        var readAhead = ReadAhead(rule)
        return offsets.map { offset in
            file.want(offset..<offset + 1)
            return readAhead.block(for: offset..<offset + 1, in: file.contents)
        }
    }

    @Test("a sequential reader gets twice as much each time, up to a limit")
    func doubling() throws {
        var end = 0
        for count in [131_072, 262_144, 524_288, 1_048_576, 1_048_576] {
            #expect(try blocks([end]).last?.lowerBound == end)
            end += count
        }
        let counts = try blocks([0, 131_072, 393_216, 917_504, 1_966_080]).map(\.count)
        #expect(counts == [131_072, 262_144, 524_288, 1_048_576, 1_048_576])
    }

    @Test("a reader that jumps gets little")
    func jumping() throws {
        #expect(try blocks([5_000_000, 90_000_000, 7]).map(\.count) == [65_536, 65_536, 65_536])
    }

    @Test("a jump close to the end gets the whole rest")
    func tail() throws {
        #expect(try blocks([299_500_000]) == [299_500_000..<300_000_000])
    }

    @Test("a reader that announces its range gets exactly that")
    func expected() throws {
        let file = try MediaFile(byteLimit: 1)
        file.setSize(300_000_000)
        file.want(1000..<5_000_000)
        var readAhead = ReadAhead(rule)
        #expect(readAhead.block(for: 2000..<5_000_000, in: file.contents) == 2000..<5_000_000)
    }

    @Test("bytes that are there are not fetched again")
    func present() throws {
        let file = try MediaFile(byteLimit: 100)
        file.setSize(300_000_000)
        try unsafe [UInt8](repeating: 0, count: 100).withUnsafeBytes { unsafe _ = try file.write($0, at: 50_000) }
        file.want(40_000..<40_001)
        var readAhead = ReadAhead(rule)
        #expect(readAhead.block(for: 40_000..<40_001, in: file.contents) == 40_000..<50_000)
    }
}

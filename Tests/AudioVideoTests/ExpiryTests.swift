import Media
import Support
import Testing
import Timing

@Suite("When time is nearly up", .needsSharedMedia)
struct ExpiryTests {
    private func transform(_ path: String, isCut: Bool = false, part: Double = 1) throws -> CollectedRungs {
        let bytes = try SharedMedia.bytes(path)
        let source = MemorySource(Array(bytes.prefix(Int(Double(bytes.count) * part))), isCut: isCut)
        source.byteCountAtExpiry = 0
        return try AudioVideoTests.transform(source, .mp4).output
    }

    @Test("a picture is delivered, and no clip is started that would have to be encoded")
    func poster() throws {
        #expect(try transform("video/media__sample_portrait.mp4").rungs == [.poster])
    }

    @Test("a copy is delivered, because it takes no time")
    func copy() throws {
        #expect(try transform("video/generated__vfr-shared.mp4").rungs == [.copied])
    }

    @Test("sound that must be encoded ends where the time ran out")
    func sound() throws {
        let source = MemorySource(try SharedMedia.bytes("audio/media__bear.flac"))
        source.byteCountAtExpiry = 100_000
        let output = try AudioVideoTests.transform(source, .flac).output
        #expect(output.rungs == [.shortened])
        #expect((1...2700).contains(output.last?.report.durationMilliseconds ?? 0))
    }

    @Test("the bytes of a truncated source become a shorter clip")
    func cut() throws {
        let bytes = try SharedMedia.bytes("video/media__sample.mp4")
        let source = MemorySource(Array(bytes.prefix(bytes.count / 2)), isCut: true)
        let output = try AudioVideoTests.transform(source, .mp4).output
        #expect(output.rungs == [.poster, .transcoded])
        #expect((1...900).contains(output.last?.report.durationMilliseconds ?? 0))
    }
}

import Media
import Support
import Testing

@Suite("When time is nearly up", .needsSharedMedia)
struct ExpiryTests {
    private func transform(_ path: String, isCut: Bool = false, part: Double = 1) throws -> CollectedRungs {
        let bytes = try SharedMedia.bytes(path)
        let source = MemorySource(Array(bytes.prefix(Int(Double(bytes.count) * part))), isCut: isCut)
        source.timeWillExpire = true
        return try AudioVideoTests.transform(source, .mp4).output
    }

    @Test("a picture is delivered, and no clip begun that would have to be encoded")
    func poster() throws {
        #expect(try transform("video/media__sample_portrait.mp4").rungs == [.poster])
    }

    @Test("a copy is delivered, as it takes no time")
    func copy() throws {
        #expect(try transform("video/generated__vfr-shared.mp4").rungs == [.copied])
    }

    @Test("what has come of a source that was cut is made into a shorter clip")
    func cut() throws {
        let bytes = try SharedMedia.bytes("video/media__sample.mp4")
        let source = MemorySource(Array(bytes.prefix(bytes.count / 2)), isCut: true)
        let output = try AudioVideoTests.transform(source, .mp4).output
        #expect(output.rungs == [.poster, .transcoded])
        #expect((1...900).contains(output.last?.report.durationMilliseconds ?? 0))
    }
}

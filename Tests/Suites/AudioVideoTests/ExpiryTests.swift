import Base
import Media
import Support
import Testing

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

    @Test("a copy makes way for the poster if its sound would have to be encoded")
    func copyWithSound() throws {
        #expect(try transform("video/torchcodec__nasa_13013.mp4").rungs == [.poster])
    }

    @Test("where a whole encoding would take too long, the poster comes before a copy with sound")
    func posterFirst() throws {
        let source = MemorySource(try SharedMedia.bytes("video/torchcodec__nasa_13013.mp4"))
        let rungs = Set(Rung.allCases).subtracting(Rung.full)
        #expect(try AudioVideoTests.transform(source, .mp4, rungs: rungs).output.rungs == [.poster, .copied])
    }

    @Test(
        "where a whole encoding would take too long, coded sound is encoded up to the time that is there",
        arguments: [("bear-id3.mp3", MediaFormat.mp3), ("bbb_1ch_8kHz_aac_lc.m4a", .m4a), ("bear.flac", .flac)],
        [true, false],
    )
    func codedSound(sample: (name: String, format: MediaFormat), isLate: Bool) throws {
        let source = MemorySource(try SharedMedia.bytes("audio/media__\(sample.name)"))
        if isLate { source.byteCountAtExpiry = 0 }
        let rungs = Set(Rung.allCases).subtracting(Rung.full)
        let output = try AudioVideoTests.transform(source, sample.format, rungs: rungs).output
        #expect(output.rungs == [isLate ? .shortened : .transcoded])
        #expect((isLate ? 1000...1400 : 2700...3100).contains(output.last?.report.durationMilliseconds ?? 0))
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

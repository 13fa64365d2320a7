import AudioVideo
import Media
import Support
import Testing

@Suite struct ThumbnailTests {
    @Test("a clip that is only copied has a thumbnail too, from its poster", .needsSharedMedia)
    func video() throws {
        let source = MemorySource(try SharedMedia.bytes("video/torchcodec__nasa_13013.mp4"))
        let output = try transform(source, .mp4, thumbnailEdge: 192).output
        #expect(output.last?.report.rung == .copied)
        #expect(try #require(output.thumbnail).starts(with: [0xFF, 0xD8]))
    }

    @Test("sound has no thumbnail", .needsSharedMedia)
    func sound() throws {
        let source = MemorySource(try SharedMedia.bytes("audio/media__bear-id3.mp3"))
        #expect(try transform(source, .mp3, thumbnailEdge: 192).output.thumbnail == nil)
    }
}

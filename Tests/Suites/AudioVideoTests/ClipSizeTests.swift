import DecoderWire
import Foundation
import Media
import Support
import Testing

@Suite("The size of a clip", .timeLimit(.minutes(10)))
struct ClipSizeTests {
    @Test("is not larger than that of the source, though the profile wants fewer pixels")
    func sample() throws {
        let file = SharedMedia.packageRoot.appending(path: "Samples/media/launch.mp4")
        let bytes = [UInt8](try Data(contentsOf: file))
        let (output, failure) = try transform(MemorySource(bytes), .mp4)
        #expect(failure == nil)
        let clip = try #require(output.last)
        #expect(clip.report.rung == .transcoded && clip.report.width == 720)
        #expect(clip.bytes.count <= bytes.count, "\(clip.bytes.count)")
    }

    @Test("is not larger than the source's for codecs no better than H.264", .needsFFmpeg, arguments: [18, 28, 38])
    func factors(rateFactor: Int) throws {
        let source = FFmpeg.input("testsrc2=s=1280x720:d=2:r=25,noise=alls=6:allf=t")
        let coding = ["-c:v", "libx264", "-preset", "slow", "-pix_fmt", "yuv420p", "-crf", "\(rateFactor)"]
        let bytes = try FFmpeg.make("a.mp4", source + coding)
        let output = try transform(MemorySource(bytes), .mp4, rungs: [.transcoded]).output
        let clip = try #require(output.last)
        #expect(clip.bytes.count <= bytes.count, "\(clip.bytes.count) of \(bytes.count)")
        #expect(clip.report.frames == 50)
    }

    @Test("is that of the first encoding if time runs out before the second")
    func expiry() throws {
        let file = SharedMedia.packageRoot.appending(path: "Samples/media/launch.mp4")
        let source = MemorySource([UInt8](try Data(contentsOf: file)))
        source.byteCountAtExpiry = 100_000
        let (output, failure) = try transform(source, .mp4, rungs: [.transcoded])
        #expect(failure == nil)
        #expect(output.rungs == [.transcoded])
    }
}

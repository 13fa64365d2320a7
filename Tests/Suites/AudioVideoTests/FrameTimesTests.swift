import AudioVideo
import Foundation
import Media
import Support
import Testing

@Suite("Frames without a time", .needsFFmpeg, .timeLimit(.minutes(10)))
struct FrameTimesTests {
    /// Only the first frame of a packet of an MPEG program stream has a time (ISO/IEC 13818-1, section 2.4.3.7). For MPEG-2,
    /// libav finds the others'.
    @Test("follow the one before", arguments: [["-c:v", "libx264", "-preset", "ultrafast"], ["-c:v", "mpeg2video"]])
    func programStream(encoder: [String]) throws {
        let source =
            FFmpeg.input("testsrc=s=128x96:d=1.6:r=25") + encoder + ["-pix_fmt", "yuv420p", "-f", "vob"]
        let bytes = try FFmpeg.make("a.vob", source)
        let (output, failure) = try transform(MemorySource(bytes), .mpegProgramStream, rungs: [.transcoded])
        #expect(failure == nil)
        let times = try FFmpeg.frameTimes(of: #require(output.last).bytes)
        #expect((39...40).contains(times.count))
        for (before, after) in zip(times, times.dropFirst()) { #expect(abs(after - before - 0.04) < 0.005) }
    }
}

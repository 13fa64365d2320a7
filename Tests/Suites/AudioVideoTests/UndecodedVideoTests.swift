import DecoderWire
import Media
import Support
import Testing

@Suite("A video whose codec is not decoded", .needsFFmpeg, .timeLimit(.minutes(10)))
struct UndecodedVideoTests {
    private static let picture = FFmpeg.input("testsrc=s=160x120:d=1:r=10")
    private static let sound = FFmpeg.input("sine=d=1")

    @Test(
        "is refused and named, and its sound does not stand for it",
        arguments: [
            ("prores", "a.mov"), ("wmv2", "a.mkv"), ("rawvideo", "a.avi"), ("ffv1", "a.mkv"), ("dvvideo", "a.avi"),
            ("huffyuv", "a.avi"), ("qtrle", "a.mov"),
        ],
        [Set(Rung.allCases), [.poster], [.copied], [.transcoded]],
    )
    func refuses(source: (codec: String, name: String), rungs: Set<Rung>) throws {
        let size = source.codec == "dvvideo" ? ["-s", "720x576", "-r", "25", "-pix_fmt", "yuv420p"] : []
        let encoding = size + ["-c:v", source.codec, "-c:a", source.name.hasSuffix("mov") ? "aac" : "pcm_s16le"]
        let bytes = try FFmpeg.make(source.name, Self.picture + Self.sound + encoding)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed), rungs: rungs)
        #expect(output.emitted.isEmpty)
        #expect(failure?.reason == .unsupportedFormat)
        #expect(failure?.cause == .videoCodec, "\(String(describing: failure))")
    }

    @Test("is not what an album's cover is: the sound is delivered", arguments: ["a.mp3", "a.m4a", "a.flac"])
    func covers(name: String) throws {
        let cover = ["-map", "1:a", "-map", "0:v", "-frames:v", "1", "-c:v", "png", "-disposition:v", "attached_pic"]
        let bytes = try FFmpeg.make(name, Self.picture + Self.sound + cover)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed))
        #expect(failure == nil && output.last != nil)
    }
}

import DecoderWire
import Media
import Support
import Testing

@Suite("The size of sound that is encoded again", .needsFFmpeg, .timeLimit(.minutes(10)))
struct SoundSizeTests {
    private static func speech(_ seconds: Int, _ coding: [String]) -> [String] {
        // Half a second of silence at first, as when somebody begins to speak.
        let filter = "anoisesrc=color=pink:amplitude=0.3:sample_rate=48000:seed=1:duration=\(seconds)"
        return FFmpeg.input(filter) + ["-af", "volume=0:enable='lt(t,0.5)'"] + coding
    }

    struct Case: CustomTestStringConvertible {
        var name: String
        var format: MediaFormat
        var coding: [String]
        /// The largest size, as a multiple of the source's.
        var most = 1.02

        var testDescription: String { ([name] + coding).joined(separator: " ") }
    }

    private static let cases = [
        Case(name: "a.opus", format: .ogg, coding: ["-ac", "1", "-c:a", "libopus", "-b:a", "16k"], most: 1.9),
        Case(name: "a.opus", format: .ogg, coding: ["-ac", "1", "-c:a", "libopus", "-b:a", "24k"], most: 1.6),
        Case(name: "a.opus", format: .ogg, coding: ["-ac", "2", "-c:a", "libopus", "-b:a", "64k"], most: 1.6),
        Case(name: "a.ogg", format: .ogg, coding: ["-ac", "1", "-c:a", "libvorbis", "-q:a", "0"]),
        Case(name: "a.wav", format: .wav, coding: ["-ac", "1", "-ar", "8000", "-c:a", "pcm_mulaw"]),
        Case(name: "a.wav", format: .wav, coding: ["-ac", "1", "-ar", "8000", "-c:a", "pcm_u8"]),
        Case(name: "a.m4a", format: .m4a, coding: ["-ac", "6", "-c:a", "aac", "-b:a", "96k"]),
    ]

    @Test("is not larger than the source, unless that has a better codec", arguments: cases, [true, false])
    func bounded(_ sample: Case, isWhole: Bool) throws {
        let bytes = try FFmpeg.make(sample.name, Self.speech(12, sample.coding))
        let source = MemorySource(bytes, readsUntilWhole: isWhole ? 0 : .max)
        let (output, failure) = try transform(source, sample.format)
        #expect(failure == nil)
        let sound = try #require(output.last)
        #expect(sound.report.rung == .transcoded && sound.report.format == .m4a)
        // While a source arrives, its first seconds must do, whose loudest one counts.
        let most = isWhole ? sample.most : sample.most * 1.25
        #expect(Double(sound.bytes.count) <= most * Double(bytes.count), "\(sound.bytes.count) of \(bytes.count)")
        #expect((11_800...12_200).contains(sound.report.durationMilliseconds ?? 0))
        let heard = try FFmpeg.samples(of: sound.bytes)
        #expect(Self.loudness(heard[8000...]) > 0.6 * Self.loudness(try FFmpeg.samples(of: bytes)[8000...]))
        #expect(Self.loudness(heard[..<3200]) < 0.002)
    }

    @Test("is not larger than the source's beside a picture")
    func besidePicture() throws {
        let picture = FFmpeg.input("color=gray:s=64x64:d=12:r=5")
        let coding = ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-ac", "1", "-c:a", "libmp3lame", "-b:a", "32k"]
        let bytes = try FFmpeg.make("a.mp4", picture + Self.speech(12, coding))
        let clip = try #require(try transform(MemorySource(bytes), .mp4).output.last)
        #expect(clip.report.rung == .copied)
        #expect(Double(clip.bytes.count) <= 1.1 * Double(bytes.count), "\(clip.bytes.count) of \(bytes.count)")
    }

    @Test(
        "MPEG sound in a transport stream is what it turns out to be",
        arguments: ["mp2", "libmp3lame"],
        [32_000, 48_000]
    )
    func layers(codec: String, rate: Int) throws {
        let bytes = try FFmpeg.make("a.ts", Self.speech(2, ["-ac", "2", "-ar", "\(rate)", "-c:a", codec]))
        let (output, failure) = try transform(MemorySource(bytes), .mpegTransportStream)
        #expect(failure == nil)
        let sound = try #require(output.last)
        #expect(Self.loudness(try FFmpeg.samples(of: sound.bytes)[8000..<15_000]) > 0.03)
    }

    private static func loudness(_ samples: ArraySlice<Double>) -> Double {
        (samples.reduce(0) { $0 + $1 * $1 } / Double(max(1, samples.count))).squareRoot()
    }
}

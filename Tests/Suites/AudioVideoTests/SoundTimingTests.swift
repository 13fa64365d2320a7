import Base
import DecoderWire
import Media
import Support
import Testing

@testable import AudioVideo

@Suite("Sound with uneven timestamps")
struct SoundTimingTests {
    /// Returns the pieces that are moved to their timestamps. Each lasts 20 ms, and `shift` says how late it is, in
    /// milliseconds.
    private func moved(_ count: Int, _ shift: (Int) -> Double?) -> [Int] {
        var timing = SoundTiming()
        return (0..<count).filter { piece in
            let time = shift(piece).map { Double(piece) * 0.02 + $0 / 1000 }
            return timing.moves(at: time, lasting: 0.02)
        }
    }

    @Test("starts at its time", arguments: [-500.0, 0, 700])
    func start(shift: Double) { #expect(moved(100) { _ in shift } == [0]) }

    @Test("goes on without a gap while they jitter", arguments: [5.0, 21, 40, 90])
    func jitter(size: Double) { #expect(moved(500) { $0 % 2 == 0 ? 0 : size } == [0]) }

    @Test("follows them once if there is a gap or an overlap", arguments: [-300.0, -60, 60, 300, 5000])
    func gap(size: Double) {
        let moved = moved(500) { $0 < 100 ? 0 : size }
        #expect(moved.count == 2)
        // A large gap is one at once, a small one may still be jitter.
        #expect(abs(size) > 100 ? moved.last == 100 : (105...115).contains(moved.last ?? 0), "\(moved)")
    }

    @Test("stays within about 40 ms of them if a clock runs wrong")
    func drift() {
        var worst = 0.0
        var shift = 0.0
        var timing = SoundTiming()
        for piece in 0..<3000 {
            let late = Double(piece) * 0.0001
            if timing.moves(at: Double(piece) * 0.02 + late, lasting: 0.02) { shift = late }
            worst = max(worst, late - shift)
        }
        #expect(worst < 0.045, "\(worst)")
    }

    @Test("goes on where they are missing")
    func missing() { #expect(moved(100) { $0 == 0 || $0 == 60 ? 0 : nil } == [0]) }

    @Test(
        "has no clicks in the clip, and keeps its length",
        .needsFFmpeg,
        arguments: [("a.webm", "libvorbis"), ("a.mkv", "ac3")]
    )
    func clip(name: String, codec: String) throws {
        // Each second packet is stamped 21 ms late, as live recorders do it.
        let jitter = "setts=ts='TS+if(lt(N\\,5)\\,0\\,21*mod(N\\,2))'"
        let bytes = try FFmpeg.make(
            name,
            FFmpeg.input("sine=d=10:f=300:r=48000") + ["-c:a", codec, "-bsf:a", jitter],
        )
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed))
        #expect(failure == nil)
        let clip = try #require(output.last)
        #expect(abs((clip.report.durationMilliseconds ?? 0) - 10_000) <= 60)
        // A second difference of a tone is small; a click makes it jump.
        let samples = try FFmpeg.samples(of: clip.bytes).dropFirst(2000).dropLast(2000).map(\.self)
        let bends = samples.indices.dropFirst().dropLast().map {
            abs(samples[$0 - 1] - 2 * samples[$0] + samples[$0 + 1])
        }
        let usual = bends.sorted()[bends.count / 2]
        let clicks = bends.count { $0 > 6 * usual }
        #expect(clicks == 0, "\(clicks) clicks")
    }
}

import DecoderWire
import Media
import Support
import Testing

@Suite("Words beside the sound and the pictures", .needsFFmpeg, .timeLimit(.minutes(10)))
struct CanaryTests {
    @Test("are in no clip of raw sound", arguments: Canary.streams)
    func streams(canary: Canary) throws {
        let output = try check(canary, [.transcoded])
        // At most the frames that touch foreign bytes are missing.
        let duration = try #require(output.last?.report.durationMilliseconds)
        #expect((1350...1600).contains(duration), "\(duration)")
        let clip = try #require(output.last)
        #expect(try FFmpeg.complaints(about: clip.bytes) == "")
    }

    @Test("are in no clip of sound in another container", arguments: Canary.containers + Canary.sounds)
    func containers(canary: Canary) throws {
        let output = try check(canary, Set(Rung.allCases))
        #expect(output.last?.report.durationMilliseconds.map { (1450...1600).contains($0) } == true)
    }

    @Test("are in no copied movie", arguments: Canary.movies)
    func movies(canary: Canary) throws {
        // AVI gives no times of display, so it is never copied.
        _ = try check(canary, canary.place.hasPrefix("avi") ? [.transcoded] : [.copied])
    }

    private func check(_ canary: Canary, _ rungs: Set<Rung>) throws -> CollectedRungs {
        let bytes = try canary.make()
        #expect(bytes.firstRange(of: Array(Canary.word.utf8)) != nil)
        let format = try #require(recognizedFormat(of: bytes), "\(canary)")
        let (output, failure) = try transform(MemorySource(bytes), format, rungs: rungs)
        #expect(failure == nil)
        #expect(!output.emitted.isEmpty)
        for emitted in output.emitted {
            let text = Array("CANARY".utf8)
            #expect(emitted.bytes.firstRange(of: text) == nil, "in \(emitted.report.rung)")
            #expect(emitted.bytes.firstRange(of: text.flatMap { [$0, 0] }) == nil)
        }
        return output
    }
}

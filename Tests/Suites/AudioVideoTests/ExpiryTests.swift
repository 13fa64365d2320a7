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

    private static let filmed = FFmpeg.input("testsrc=s=192x108:d=8:r=25", "sine=440:d=8:r=48000")
    private static let coded = ["-pix_fmt", "yuv420p", "-c:v", "libvpx-vp9", "-cpu-used", "8", "-deadline", "realtime"]

    /// Returns a source whose time runs out when this share of its work is done.
    private static func source(_ bytes: [UInt8], endingAt share: Double) throws -> MemorySource {
        let (whole, source) = (MemorySource(bytes), MemorySource(bytes))
        #expect(try AudioVideoTests.transform(whole, .webm).output.rungs == [.poster, .transcoded])
        source.questionCountAtExpiry = Int(Double(whole.questionCount) * share)
        return source
    }

    @Test(
        "a clip that must be encoded ends where the time ran out, with all pictures and sound up to there",
        .needsFFmpeg
    )
    func shortenedClip() throws {
        let bytes = try FFmpeg.make("a.webm", Self.filmed + Self.coded + ["-c:a", "libopus"])
        var last: [Rung] = []
        for share in [0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
            let (output, failure) = try AudioVideoTests.transform(Self.source(bytes, endingAt: share), .webm)
            #expect(failure == nil)
            // The later the time runs out, the better the best.
            #expect(output.rungs.count <= 2 && (output.rungs.last?.position ?? 0) >= last.last?.position ?? 0)
            last.append(try #require(output.rungs.last))
            guard last.last == .shortened, let clip = output.last else { continue }
            let milliseconds = clip.report.durationMilliseconds ?? 0
            #expect((3000...7900).contains(milliseconds))
            let times = try FFmpeg.frameTimes(of: clip.bytes)
            #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.01 })
            #expect(abs((times.last ?? 0) + 0.04 - Double(milliseconds) / 1000) < 0.09)
            #expect(abs(try FFmpeg.samples(of: clip.bytes).count - milliseconds * 8) < 4000)
        }
        #expect(last.first == .poster && last.contains(.shortened))
    }

    @Test("a clip is its poster if what is there is too short, or the profile wants whole clips only", .needsFFmpeg)
    func posterOnly() throws {
        let bytes = try FFmpeg.make("a.webm", Self.filmed + Self.coded + ["-an"])
        #expect(try AudioVideoTests.transform(Self.source(bytes, endingAt: 0.1), .webm).output.rungs == [.poster])
        var profile = Profile.apns
        profile.video?.shortest = nil
        for share in [0.3, 0.4, 0.5] {
            let source = try Self.source(bytes, endingAt: share)
            #expect(
                try AudioVideoTests.transform(source, .webm, profile: profile).output.rungs.contains(.shortened)
                    == false
            )
        }
    }

    @Test(
        "a clip that would take too long moves on less to its end",
        .needsFFmpeg,
        arguments: ["libx265", "libvpx-vp9"]
    )
    func hurried(encoder: String) throws {
        let coding =
            ["-pix_fmt", "yuv420p", "-c:v", encoder]
            + (encoder == "libx265" ? ["-x265-params", "log-level=error"] : [])
        let bytes = try FFmpeg.make(
            "a.mkv",
            FFmpeg.input("testsrc=s=1280x720:d=9:r=25") + coding + ["-preset", "ultrafast"]
        )
        let output = try AudioVideoTests.transform(MemorySource(bytes), .matroska, timeLeft: .milliseconds(1)).output
        #expect(output.rungs == [.poster, .shortened])
        let report = try #require(output.last).report
        #expect(abs((report.durationMilliseconds ?? 0) - 9000) <= 200)
        #expect((60...215).contains(report.frames ?? 0), "\(report.frames ?? 0) frames")
        let plenty = try AudioVideoTests.transform(MemorySource(bytes), .matroska, timeLeft: .seconds(600)).output
        #expect(plenty.rungs == [.poster, .transcoded] && plenty.last?.report.frames == 225)
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

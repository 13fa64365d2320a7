import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Testing

/// Tests with the real decoder program, of files that were once delivered wrong or not at all.
@Suite("Clips that were found to go wrong", .timeLimit(.minutes(10)), .needsSharedMedia)
struct FoundClipsTests {
    private func convert(_ path: String) async throws -> Conversion {
        var conversion = Conversion()
        try await DecoderPool.with("attachd-decoder") { pool in
            conversion = try await pool.convert(SharedMedia.bytes("found/\(path)"))
        }
        return conversion
    }

    @Test("pixels that are not square: the clip is copied, and accepted")
    func pixels() async throws {
        let conversion = try await convert("s480_4_3.mp4")
        #expect(conversion.failure == nil)
        let report = try #require(conversion.rungs.last).report
        #expect(report.rung == .copied && report.width == 640 && report.height == 360)
    }

    @Test("an encrypted movie is refused, and the message says why")
    func encrypted() async throws {
        let conversion = try await convert("enc.mp4")
        #expect(conversion.rungs.isEmpty)
        #expect(conversion.failure?.reason == .unsupportedFormat)
        #expect(conversion.failure?.message.contains("encrypted") == true)
    }

    @Test(
        "sound is delivered without what stands beside it",
        arguments: [
            ("ape.mp3", OutputFormat.m4a), ("lyr.mp3", .m4a), ("v1cut.mp3", .m4a), ("junk.mp3", .m4a),
            ("wav-fmt-ext.wav", .wav),
        ],
    )
    func canaries(path: String, format: OutputFormat) async throws {
        let conversion = try await convert(path)
        #expect(conversion.failure == nil)
        let rung = try #require(conversion.rungs.last)
        #expect(rung.report.rung == (format == .wav ? .copied : .transcoded) && rung.report.format == format)
        #expect(rung.file.prefix(rung.file.capacity).firstRange(of: Array("CANARY".utf8)) == nil)
    }

    @Test("FLAC behind a tag is decoded")
    func flac() async throws {
        let bytes = try SharedMedia.bytes("found/media__bear_with_id3.flac")
        let file = try MediaFile(byteLimit: 100_000_000)
        try file.append(bytes)
        file.end(.whole)
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = await pool.convert(file, format: .flac)
            #expect(conversion.failure == nil)
            #expect(abs((conversion.rungs.last?.report.durationMilliseconds ?? 0) - 2741) <= 50)
        }
    }
}

/// Tests of the check before a clip counts as whole, on real files with the real decoder program.
@Suite("Clips that are compared with their source", .timeLimit(.minutes(10)), .serialized, .needsSharedMedia)
struct ComparedClipsTests {
    private static let paths = ["audio", "video", "found", "privacy"].flatMap(SharedMedia.paths)

    @Test("a right clip of any shared file is not taken for one that lacks something")
    func noFalseAlarm() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            for path in Self.paths {
                let bytes = try SharedMedia.bytes(path)
                guard let format = MediaSniffer.format(of: bytes.span), format.kind != .image else { continue }
                let reason = try await pool.convert(bytes).failure?.reason
                #expect(reason != .durationMissing && reason != .soundMissing, "\(path)")
            }
        }
    }

    @Test(
        "a source whose clock misleads is delivered for as long as it lasts",
        arguments: [
            ("a-wrap-just-before.ts", 6000), ("a-ad.ts", 2000), ("b-tvfr-0-15.webm", 10_000),
            ("b-cursed-vfr.mp4", 8730),
        ],
    )
    func wholeDuration(name: String, milliseconds: Int) async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("found3/\(name)"))
            #expect(conversion.failure == nil)
            let report = try #require(conversion.rungs.last).report
            let duration = report.durationMilliseconds ?? 0
            #expect(abs(duration - milliseconds) <= max(100, milliseconds / 50), "\(duration) ms")
        }
    }

    @Test(
        "a clip lasts as long as its pictures, whatever its clock and its header say",
        arguments: [
            ("v-silent-fmp4-at-10s.mp4", 4000), ("v-fmp4-with-sound-at-5s.mp4", 4000), ("p-mp3-8000hz-1s.mp3", 1000),
            ("t-id3-8s-before-the-video.ts", 4000),
        ],
    )
    func shownDuration(name: String, milliseconds: Int) async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("found4/\(name)"))
            #expect(conversion.failure == nil)
            let duration = try #require(conversion.rungs.last).report.durationMilliseconds ?? 0
            #expect(abs(duration - milliseconds) <= 100, "\(duration) ms")
        }
    }

    @Test("the last picture of a cut file is not held, and the clip lacks its end")
    func cutFile() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("found4/v2-silent-webm-cut-at-40-percent.webm"))
            #expect(conversion.failure?.reason == .durationMissing)
            let duration = try #require(conversion.rungs.last).report.durationMilliseconds ?? 0
            #expect(abs(duration - 3500) <= 100, "\(duration) ms")
        }
    }

    @Test("sound in LATM is decoded")
    func latm() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("found3/k-sample_latm.ts"))
            #expect(conversion.failure == nil)
            #expect(conversion.rungs.last?.report.format == .m4a)
        }
    }

    @Test(
        "sound that cannot be decoded is not left out in silence",
        arguments: ["d-wma.mkv", "d-sample_fpcm_32le.mp4"]
    )
    func withoutSound(name: String) async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("found3/\(name)"))
            #expect(conversion.failure?.reason == .soundMissing, "\(conversion.rungs.map(\.report))")
            #expect(conversion.rungs.last?.report.format == .mp4)
        }
    }
}

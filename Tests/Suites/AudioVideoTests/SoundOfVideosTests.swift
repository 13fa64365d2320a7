import Foundation
import Media
import Support
import Testing

@testable import Decoding

@Suite("The sound of a video", .needsFFmpeg, .timeLimit(.minutes(10)))
struct SoundOfVideosTests {
    private static let moving = ["-f", "lavfi", "-i", "testsrc=s=128x96:r=25:d=2"]
    private static let sounding = ["-f", "lavfi", "-i", "sine=440:d=2:r=48000"]

    private func bytes(_ name: String, _ encoding: [String]) throws -> [UInt8] {
        try FFmpeg.make(name, Self.moving + Self.sounding + ["-ac", "2"] + encoding)
    }

    private func deliver(_ bytes: [UInt8]) throws -> CollectedRungs.Emitted {
        let format = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(format))
        #expect(failure == nil)
        return try #require(output.last)
    }

    @Test(
        "is decoded from containers of broadcasters, cameras and discs",
        arguments: [
            ("a.ts", ["-c:v", "libx264", "-c:a", "aac", "-mpegts_flags", "latm"]),
            ("a.mov", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "adpcm_ima_qt"]),
            ("a.vob", ["-c:v", "mpeg2video", "-c:a", "pcm_dvd"]),
            ("a.mov", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16be"]),
        ],
    )
    func isDecoded(name: String, encoding: [String]) throws {
        let clip = try deliver(bytes(name, encoding))
        let samples = try FFmpeg.samples(of: clip.bytes)
        #expect(abs(samples.count - 16_000) <= 800, "\(samples.count) samples")
        #expect(samples.map(abs).max() ?? 0 > 0.05)
        #expect(clip.report.account?.sound?.packets ?? 0 > 1)
    }

    @Test(
        "is counted where its codec is not decoded, so that the clip does not pass for whole",
        arguments: [
            ("a.mkv", ["-c:v", "libx264", "-c:a", "wmav2"]),
            ("a.ts", ["-c:v", "libx264", "-c:a", "dca", "-strict", "-2"]),
            ("a.mkv", ["-c:v", "libx264", "-c:a", "truehd", "-strict", "-2"]),
        ],
    )
    func isCounted(name: String, encoding: [String]) throws {
        let clip = try deliver(bytes(name, encoding))
        #expect(clip.report.account?.sound?.packets == 1)
        let header = OutputHeader(clip.bytes.span)
        let tracks = try #require(header).tracks
        let rules = try #require(Profile.apns.video)
        let account = try #require(clip.report.account)
        let comparison = ClipComparison(account, tracks, of: ClipSelection(), longest: rules.duration)
        #expect(comparison.shortfall?.reason == .soundMissing)
    }

    @Test("is not missed where there is none")
    func none() throws {
        let source = try FFmpeg.make("a.mp4", Self.moving + ["-c:v", "libx264", "-pix_fmt", "yuv420p"])
        #expect(try deliver(source).report.account?.sound == nil)
    }
}

import Foundation
import Media
import Support
import Testing

@Suite("Private and hostile clips", .needsSharedMedia)
struct HostileClipsTests {
    static let clips = ["video", "audio", "privacy"].flatMap { SharedMedia.paths(in: $0) }.filter { path in
        guard let bytes = try? SharedMedia.bytes(path) else { return false }
        return MediaSniffer.format(of: bytes.span).map { $0.kind != .image } ?? false
    }

    @Test(
        "a result contains none of its source's metadata",
        arguments: clips.filter { $0.hasPrefix("privacy/") },
        [Rung.copied, .transcoded, .poster],
    )
    func isPrivate(path: String, rung: Rung) throws {
        let bytes = try SharedMedia.bytes(path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, _) = try transform(MemorySource(bytes), #require(sniffed), rungs: [rung])
        for emitted in output.emitted {
            for word in ["CANARY", "48.85", "Lavf", "Lavc", "x264", "GPS", "Apple"] {
                #expect(emitted.bytes.firstRange(of: Array(word.utf8)) == nil, "\(word)")
            }
            guard FFmpeg.isThere else { continue }
            #expect(try FFmpeg.tags(of: emitted.bytes).isSubset(of: FFmpeg.harmlessTags))
        }
    }

    @Test("a hostile source ends in a clip or in a failure reason", arguments: SharedMedia.paths(in: "hostile"))
    func hostile(path: String) throws {
        let bytes = try SharedMedia.bytes(path)
        guard let format = MediaSniffer.format(of: bytes.span), format.kind != .image else { return }
        let (output, failure) = try transform(MemorySource(bytes), format)
        #expect(failure != nil || output.last != nil)
    }

    @Test("a source that is truncated anywhere ends in a clip or in a failure reason", arguments: clips)
    func cut(path: String) throws {
        let bytes = try SharedMedia.bytes(path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let format = try #require(sniffed)
        for part in [1, 13, 40, 64, 99] {
            let start = Array(bytes.prefix(bytes.count * part / 100))
            let (output, failure) = try transform(MemorySource(start, isCut: true), format, rungs: [.poster, .copied])
            #expect(failure != nil || output.last != nil)
        }
    }

    @Test("a source with flipped bits ends in a clip or in a failure reason", arguments: clips)
    func damaged(path: String) throws {
        var bytes = try SharedMedia.bytes(path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let format = try #require(sniffed)
        var random = UInt64(path.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<max(20, bytes.count / 5000) {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let offset = 16 + Int(random >> 33) % (bytes.count - 16)
            bytes[offset] ^= UInt8(truncatingIfNeeded: random >> 20) | 1
        }
        let (output, failure) = try transform(MemorySource(bytes), format)
        #expect(failure != nil || output.last != nil)
    }

    @Test("a video with more pixels than the limit is refused", arguments: SharedMedia.paths(in: "video"))
    func pixels(path: String) throws {
        let bytes = try SharedMedia.bytes(path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        var limits = MediaLimits()
        limits.framePixels = 10_000
        let (output, failure) = try transform(MemorySource(bytes), #require(sniffed), limits: limits)
        #expect(output.last == nil && failure != nil)
    }

    @Test("no demuxer opens a playlist, whatever type it claims", arguments: MediaFormat.allCases)
    func playlist(format: MediaFormat) throws {
        guard format.kind != .image else { return }
        let playlist = Array("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n".utf8)
        let (output, failure) = try transform(MemorySource(playlist), format)
        #expect(output.last == nil && failure != nil)
    }
}

extension FFmpeg {
    /// The tags that every MP4 has.
    static let harmlessTags: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "handler_name=VideoHandler", "handler_name=SoundHandler",
        "language", "vendor_id=[0][0][0][0]",
    ]

    /// Returns the names of a file's tags, with their values unless every value is harmless.
    static func tags(of bytes: [UInt8]) throws -> Set<String> {
        try withFile(bytes) { path in
            let entries = ["-show_entries", "format_tags:stream_tags:chapter", "-show_chapters", "-of", "flat"]
            let lines = try run("ffprobe", ["-v", "error"] + entries + [path]).lines
            return Set(
                lines.compactMap { line in
                    let parts = line.replacing("\"", with: "").split(separator: "=", maxSplits: 1)
                    guard parts.count == 2, let name = parts[0].split(separator: ".").last else { return nil }
                    return harmlessTags.contains(String(name)) ? String(name) : "\(name)=\(parts[1])"
                }
            )
        }
    }
}

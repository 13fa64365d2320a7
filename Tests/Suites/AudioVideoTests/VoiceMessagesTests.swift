import Base
import Foundation
import Media
import Support
import Testing

/// Sound as messengers, recorders and radios make it.
@Suite("Voice messages and recordings", .needsFFmpeg, .timeLimit(.minutes(10)))
struct VoiceMessagesTests {
    private static let tone = FFmpeg.input("sine=440:d=2:r=48000") + ["-map_metadata", "-1"]
    private static let marks = [UInt8](0..<13).map { $0 &* 37 }

    /// Expects two seconds of a tone in an M4A, less what a first frame that was cut would have held.
    private static func expectTone(in source: [UInt8], milliseconds: Int = 2000, within tolerance: Int = 110) throws {
        let clip = try PhoneClipsTests.deliver(source)
        #expect(clip.report.format == .m4a || clip.report.format == .wav)
        let duration = clip.report.durationMilliseconds ?? 0
        #expect(abs(duration - milliseconds) <= tolerance, "\(duration) ms")
        let samples = try FFmpeg.samples(of: clip.bytes)
        let parts = stride(from: 800, to: samples.count - 1600, by: 800).map { start in
            samples[start..<start + 800].reduce(0) { $0 + $1 * $1 } / 800
        }
        #expect(parts.allSatisfy { $0 > 0.002 }, "silence within")
    }

    // MARK: - Apple's format

    @Test(
        "in CAF are delivered, whatever their codec",
        arguments: [
            ["-c:a", "alac"], ["-c:a", "libopus", "-b:a", "32k"], ["-c:a", "libmp3lame"], ["-c:a", "ac3"],
            ["-c:a", "adpcm_ima_qt", "-ar", "22050"], ["-c:a", "pcm_s16be"], ["-c:a", "pcm_s16le"],
            ["-c:a", "pcm_f32le"],
            ["-c:a", "pcm_mulaw", "-ar", "8000"],
        ],
    )
    func coreAudio(coding: [String]) throws {
        let source = try FFmpeg.make("a.caf", Self.tone + coding)
        #expect(recognizedFormat(of: source) == .caf)
        try Self.expectTone(in: source)
    }

    @Test(
        "in CAF are delivered with a chunk before the sound, as Apple's recorder writes it, and without what stands in it"
    )
    func chunks() throws {
        for coding in ["pcm_s16be", "libopus"] {
            var source = try FFmpeg.make("a.caf", Self.tone + ["-c:a", coding])
            let word = Array("CANARY".utf8)
            let content = word + [UInt8](repeating: 0, count: 4090)
            for (name, offset) in [("free", 8 + 44), ("info", 8 + 44)] {
                source.insert(contentsOf: Array(name.utf8) + [0, 0, 0, 0, 0, 0, 0x10, 0] + content, at: offset)
            }
            source += Array("strg".utf8) + [0, 0, 0, 0, 0, 0, 0x10, 0] + content
            try Self.expectTone(in: source)
            let clip = try PhoneClipsTests.deliver(source)
            #expect(clip.bytes.firstRange(of: word) == nil)
        }
    }

    @Test(
        "in CAF whose table of packets claims any number of them end soon",
        arguments: [1 << 20, 1 << 27, Int.max / 2]
    )
    func hostileTable(count: Int) throws {
        var source = try FFmpeg.make("a.caf", Self.tone + ["-c:a", "libopus"])
        let table = try #require(source.firstRange(of: Array("pakt".utf8))).upperBound + 8
        source.replaceSubrange(
            table..<table + 8,
            with: (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        )
        let (output, failure) = try transform(MemorySource(source), .caf)
        #expect(failure != nil || output.last?.report.durationMilliseconds ?? 0 <= 30_100)
    }

    @Test(
        "of iMessage and of telephones that were found are delivered",
        .needsSharedMedia,
        arguments: [("m-imessage-audio.caf", 9020), ("m-testAMR.amr", 5560), ("k-bear-vbr-no-seek-table.mp3", 2780)],
    )
    func found(name: String, milliseconds: Int) throws {
        let clip = try PhoneClipsTests.deliver(SharedMedia.bytes("found3/\(name)"))
        let duration = clip.report.durationMilliseconds ?? 0
        #expect(clip.report.format == .m4a && abs(duration - milliseconds) <= 150, "\(duration) ms")
    }

    // MARK: - Beginnings

    @Test(
        "that begin behind other bytes, or in the middle of a frame, are recognized",
        arguments: [
            ("a.mp3", ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0"]),
            ("a.mp2", ["-c:a", "mp2", "-b:a", "64k"]), ("a.aac", ["-c:a", "aac", "-b:a", "64k"]),
            ("a.ts", ["-c:a", "aac"]),
        ],
    )
    func beginnings(name: String, coding: [String]) throws {
        let sound = try FFmpeg.make(name, Self.tone + coding)
        let zeros = [UInt8](repeating: 0, count: 211)
        for start in [
            zeros, Self.marks, zeros + [0x40] + Self.marks, Array("HTTP/1.1 200 OK\r\nicy-name: Radio\r\n\r\n".utf8),
        ] {
            try Self.expectTone(in: start + sound)
        }
        try Self.expectTone(in: Array(sound.dropFirst(100)))
    }

    @Test("of camcorders, whose packets have a time before them, are recognized", arguments: [4, 0])
    func camcorders(before: Int) throws {
        let stream = try FFmpeg.make("a.ts", Self.tone + ["-c:a", "aac"])
        let packets = stride(from: 0, to: stream.count - 187, by: 188).map { Array(stream[$0..<$0 + 188]) }
        let behind = before == 0 ? 16 : 0
        let source = packets.flatMap {
            [UInt8](repeating: 0, count: before) + $0 + [UInt8](repeating: 0, count: behind)
        }
        #expect(recognizedFormat(of: source) == .mpegTransportStream)
        try Self.expectTone(in: source)
    }

    @Test(
        "of FLAC that begin at a frame are delivered to their end",
        arguments: ["1", "2"],
        ["44100", "48000", "11025"]
    )
    func frames(channels: String, rate: String) throws {
        let file = try FFmpeg.make("a.flac", Self.tone + ["-ac", channels, "-ar", rate])
        // The first bit of a block's header says that it is the last one.
        var start = 4
        while start < file.count {
            let (isLast, count) = (file[start] >= 0x80, file[start + 1..<start + 4].reduce(0) { $0 << 8 | Int($1) })
            start += 4 + count
            if isLast { break }
        }
        let source = Array(file[start...])
        #expect(recognizedFormat(of: source) == .flac)
        try Self.expectTone(in: source)
        let (output, failure) = try transform(MemorySource(source), .flac, clip: ClipSelection(start: .seconds(1)))
        let duration = try #require(output.last).report.durationMilliseconds ?? 0
        #expect(failure == nil && abs(duration - 1000) <= 110, "\(duration) ms")
    }

    @Test("are told from other bytes", arguments: 0..<8)
    func others(seed: Int) {
        var numbers = SplitMix(seed: UInt64(seed))
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        // The first bytes of noise may be those of anything.
        #expect(recognizedFormat(of: [1, 2, 3, 4, 5, 6, 7, 8] + noise) == nil)
        let page = Array(String(repeating: "<p>The page was not found.</p>\n", count: 500).utf8)
        #expect(recognizedFormat(of: page) == nil)
    }
}

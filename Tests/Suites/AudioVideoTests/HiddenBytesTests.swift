import Foundation
import Media
import Support
import Testing

/// Bytes in places inside coded data that every decoder ignores.
@Suite("Bytes that decoders skip", .needsFFmpeg, .timeLimit(.minutes(10)))
struct HiddenBytesTests {
    private static let mark = Array("CANARY-PII".utf8)

    private static func expectNone(in output: CollectedRungs) {
        for emitted in output.emitted {
            #expect(emitted.bytes.firstRange(of: mark) == nil, "\(emitted.report.rung)")
        }
    }

    /// Makes a raw stream of H.264, adds bytes to each unit of some types, and returns it in an MP4.
    private static func movie(
        _ coding: [String],
        marking types: Set<UInt8>,
        with bytes: [UInt8] = mark + mark,
    ) throws -> [UInt8] {
        let inputs = FFmpeg.input("testsrc=s=320x240:d=1.5:r=25") + ["-pix_fmt", "yuv420p", "-c:v", "libx264"]
        let stream = try FFmpeg.make("a.264", inputs + coding)
        var marked: [UInt8] = []
        var start = 0
        var kind: UInt8 = 0
        func end(_ index: Int) {
            marked += stream[start..<index]
            if types.contains(kind) { marked += bytes }
        }
        for index in 0..<stream.count - 3 where stream[index..<index + 3].elementsEqual([0, 0, 1]) {
            end(index)
            (start, kind) = (index, stream[index + 3] & 31)
        }
        end(stream.count)
        return try FFmpeg.withFile(marked) { path in
            try FFmpeg.make("a.mp4", ["-f", "h264", "-framerate", "25", "-i", path, "-c", "copy"])
        }
    }

    @Test(
        "behind the parameters of a picture are in no clip",
        arguments: [[], ["-profile:v", "main", "-slices", "3"], ["-profile:v", "baseline"]],
        [7, 8] as [UInt8],
    )
    func parameters(coding: [String], type: UInt8) throws {
        let source = try Self.movie(coding, marking: [type])
        #expect(source.firstRange(of: Self.mark) != nil)
        let (output, failure) = try transform(MemorySource(source), .mp4)
        #expect(failure == nil)
        Self.expectNone(in: output)
        let clip = try #require(output.last)
        // The parameters of pictures have no length of their own: some are not understood, and the clip is encoded again.
        #expect(clip.report.rung == .copied || type == 8)
        guard clip.report.rung == .copied else { return }
        #expect(try FFmpeg.colors(of: clip.bytes) == FFmpeg.colors(of: source))
    }

    @Test("zeros behind slices, as many as a source likes, are in no clip", arguments: ["high", "baseline"])
    func zeros(profile: String) throws {
        // cabac_zero_words (ITU-T H.264, 7.3.2.10): all that may follow the stop bit.
        let zeros = [[UInt8]](repeating: [0, 0, 3], count: 64).flatMap(\.self)
        let source = try Self.movie(["-profile:v", profile], marking: [1, 5], with: zeros)
        let some = zeros.prefix(48)
        #expect(source.firstRange(of: some) != nil)
        let (output, failure) = try transform(MemorySource(source), .mp4)
        #expect(failure == nil)
        let clip = try #require(output.last)
        #expect(clip.report.rung == .copied && clip.bytes.firstRange(of: some) == nil)
        #expect(try FFmpeg.colors(of: clip.bytes) == FFmpeg.colors(of: source))
    }

    /// The marks by which programs find another format in the middle or at the end of a file.
    private static let foreignMarks: [[UInt8]] = [
        Array("PK\u{3}\u{4}\u{14}".utf8), Array("PK\u{5}\u{6}".utf8), Array("PK\u{6}\u{6}".utf8),
        Array("%PDF-1.7".utf8),
        Array("Rar!\u{1A}\u{7}".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Array("<?php ".utf8), Array("CD001".utf8),
    ]

    @Test(
        "that programs would take for another format are in no clip, whether they stand behind a slice or in its pixels",
        arguments: foreignMarks,
        ["high", "baseline", "behind units"],
    )
    func foreign(mark: [UInt8], place: String) throws {
        // Zeros cannot stand in a unit. All others can.
        let bytes = mark + [UInt8](repeating: 0x41, count: 40)
        var source = try Self.movie(
            ["-profile:v", place == "baseline" ? place : "high"],
            marking: [1, 5],
            with: bytes
        )
        if place == "behind units" { source = try Self.shortened(source, by: bytes.count) }
        #expect(source.firstRange(of: mark) != nil)
        let (output, failure) = try transform(MemorySource(source), .mp4)
        // Lengths that don't fit together are damage.
        #expect(failure == nil && output.rungs.last == .transcoded || place == "behind units")
        for emitted in output.emitted { #expect(emitted.bytes.firstRange(of: mark) == nil) }
    }

    /// Returns the movie with the last bytes of each slice behind it, so that they belong to no unit.
    private static func shortened(_ movie: [UInt8], by count: Int) throws -> [UInt8] {
        var movie = movie
        var unit = try #require(movie.firstRange(of: Array("mdat".utf8))).upperBound
        while unit + 5 < movie.count {
            let length = movie[unit..<unit + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length < 100_000 else { break }
            if [1, 5].contains(movie[unit + 4] & 31) {
                let shorter = length - count
                for index in 0..<4 { movie[unit + index] = UInt8(shorter >> (24 - 8 * index) & 0xFF) }
            }
            unit += 4 + length
        }
        return movie
    }

    @Test(
        "that programs would take for another format are in no WAV, whose samples can be any bytes",
        arguments: foreignMarks
    )
    func foreignSamples(mark: [UInt8]) throws {
        var source = try FFmpeg.make("a.wav", FFmpeg.input("sine=d=1.5:f=440") + ["-c:a", "pcm_s16le"])
        #expect(try PhoneClipsTests.deliver(source).report.rung == .copied)
        source.replaceSubrange(source.count - 100..<source.count - 100 + mark.count, with: mark)
        let clip = try PhoneClipsTests.deliver(source)
        #expect(clip.report.rung == .transcoded && clip.bytes.firstRange(of: mark) == nil)
    }

    @Test("inside frames of AAC are in no clip", arguments: MarkedSound.places, ["a.aac", "a.m4a", "a.mp4"])
    func advancedCoding(place: MarkedSound.Place, name: String) throws {
        let stream = try MarkedSound.aac(Self.mark, place)
        let source = try FFmpeg.withFile(stream) { path in
            let picture = FFmpeg.input("testsrc=s=64x64:d=1.5:r=5") + ["-pix_fmt", "yuv420p", "-c:v", "libx264"]
            let input = ["-f", "aac", "-i", path] + (name == "a.mp4" ? picture : [])
            return name == "a.aac" ? stream : try FFmpeg.make(name, input + ["-c:a", "copy"])
        }
        #expect(source.firstRange(of: Self.mark) != nil)
        let format = name == "a.aac" ? MediaFormat.aac : name == "a.m4a" ? .m4a : .mp4
        let (output, failure) = try transform(MemorySource(source), format)
        #expect(failure == nil)
        #expect(output.rungs.last == (name == "a.mp4" ? .copied : .transcoded))
        Self.expectNone(in: output)
        try Self.expectSound(in: #require(output.last).bytes, of: source)
    }

    @Test("between frames of MP3, in their reservoir, are in no clip", arguments: ["a.mp3", "a.mp4"])
    func ancillary(name: String) throws {
        let stream = try MarkedSound.mp3(Self.mark)
        let source = try FFmpeg.withFile(stream) { path in
            name == "a.mp3" ? stream : try FFmpeg.make(name, ["-f", "mp3", "-i", path, "-c:a", "copy"])
        }
        #expect(source.firstRange(of: Self.mark) != nil)
        let (output, failure) = try transform(MemorySource(source), name == "a.mp3" ? .mp3 : .mp4)
        #expect(failure == nil)
        #expect(output.rungs == [.transcoded])
        Self.expectNone(in: output)
        try Self.expectSound(in: #require(output.last).bytes, of: source)
    }

    /// Expects that the sound is as loud as that of the source, which a decoder would lose if the marks stood elsewhere.
    private static func expectSound(in clip: [UInt8], of source: [UInt8]) throws {
        let (found, expected) = (try FFmpeg.samples(of: clip), try FFmpeg.samples(of: source))
        func energy(_ samples: [Double]) -> Double { samples.dropFirst(2000).prefix(8000).reduce(0) { $0 + $1 * $1 } }
        #expect(energy(expected) > 10)
        #expect((0.8...1.25).contains(energy(found) / energy(expected)))
    }
}

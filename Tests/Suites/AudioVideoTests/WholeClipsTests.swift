import Base
import Foundation
import Media
import Support
import Testing

@testable import Decoding

/// Sources whose clock misleads a reader about how long they last.
@Suite("A clip is as long as its source", .needsFFmpeg, .timeLimit(.minutes(10)))
struct WholeClipsTests {
    private static let moving = ["-f", "lavfi", "-i", "testsrc=s=96x64:r=25:d=6"]
    private static let sounding = ["-f", "lavfi", "-i", "sine=d=6:r=48000"]
    private static let h264 = [
        "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25", "-c:a", "aac",
    ]
    private static let mpeg2 = ["-c:v", "mpeg2video", "-c:a", "mp2"]

    /// Converts the source, and returns the clip's duration in seconds and its pictures' times.
    private func clip(
        of bytes: [UInt8],
        as rung: Rung,
        clip: ClipSelection = ClipSelection(),
    ) throws -> (duration: Double, times: [Double]) {
        let format = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(MemorySource(bytes), #require(format), clip: clip, rungs: [rung])
        #expect(failure == nil)
        let last = try #require(output.last)
        #expect(try FFmpeg.complaints(about: last.bytes) == "")
        let header = OutputHeader(last.bytes.span)
        let tracks = try #require(header).tracks
        let pictures = try #require(tracks.first { $0.isVideo })
        for track in tracks { #expect(abs(track.milliseconds - pictures.milliseconds) <= 150, "\(tracks)") }
        return (Double(pictures.milliseconds) / 1000, try FFmpeg.frameTimes(of: last.bytes))
    }

    private func expectEven(_ times: [Double], _ count: ClosedRange<Int>) {
        #expect(count.contains(times.count), "\(times.count) frames")
        // The first picture is shown from the start, even where the sound begins before it.
        for (before, after) in zip(times.dropFirst(), times.dropFirst(2)) {
            #expect(abs(after - before - 0.04) < 0.005, "\(before) to \(after)")
        }
    }

    // The clock of a transport stream has 33 bits: it wraps after 95,443.72 seconds (ISO/IEC 13818-1, 2.4.2.1).
    @Test(
        "when the clock of a transport stream wraps in it",
        arguments: [95_442.3, 95_438.0, 95_440.7],
        [(Rung.copied, h264), (.transcoded, h264), (.transcoded, mpeg2)],
    )
    func wraps(offset: Double, coding: (rung: Rung, arguments: [String])) throws {
        let arguments = Self.moving + Self.sounding + coding.arguments + ["-output_ts_offset", "\(offset)"]
        let (duration, times) = try clip(of: FFmpeg.make("a.ts", arguments), as: coding.rung)
        #expect(abs(duration - 6) <= 0.1, "\(duration) s")
        expectEven(times, 149...150)
    }

    @Test("when the clip begins after the clock has wrapped")
    func wrapsBeforeStart() throws {
        let source = try FFmpeg.make(
            "a.ts",
            Self.moving + Self.sounding + Self.h264 + ["-output_ts_offset", "95441.3"],
        )
        let selection = ClipSelection(start: .seconds(3), duration: .seconds(2))
        let (duration, times) = try clip(of: source, as: .transcoded, clip: selection)
        #expect(abs(duration - 2) <= 0.1, "\(duration) s")
        expectEven(times, 49...51)
    }

    @Test(
        "when two streams with other clocks were joined",
        arguments: [(20.0, 90_000.0), (90_000.0, 20.0), (20.0, 20.0)]
    )
    func joined(first: Double, second: Double) throws {
        let parts = try [first, second].map { offset in
            let arguments = Self.moving + Self.sounding + Self.h264 + ["-t", "3", "-output_ts_offset", "\(offset)"]
            return try FFmpeg.make("a.ts", arguments)
        }
        for rung in [Rung.copied, .transcoded] {
            let (duration, times) = try clip(of: parts[0] + parts[1], as: rung)
            #expect(abs(duration - 6) <= 0.15, "\(duration) s")
            #expect((148...151).contains(times.count), "\(times.count) frames")
        }
    }

    /// A source of two pictures or three, the last of which is shown for some time.
    struct Still: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var name: String
        var arguments: [String]
        var seconds: Double
        var rung: Rung

        private static let slow = ["-f", "lavfi", "-i", "testsrc=s=96x64:r=1/2:d=6"]
        private static let far = ["-f", "lavfi", "-i", "testsrc=s=96x64:r=1/15:d=30"]
        private static let vp8 = ["-c:v", "libvpx"]

        static let all = [
            Still(testDescription: "MP4", name: "a.mp4", arguments: slow + h264, seconds: 6, rung: .transcoded),
            Still(testDescription: "MP4, copied", name: "a.mp4", arguments: slow + h264, seconds: 6, rung: .copied),
            Still(testDescription: "Matroska", name: "a.mkv", arguments: slow + h264, seconds: 6, rung: .transcoded),
            Still(testDescription: "WebM", name: "a.webm", arguments: slow + vp8, seconds: 6, rung: .transcoded),
            Still(
                testDescription: "a picture after the end",
                name: "a.webm",
                arguments: far + vp8,
                seconds: 10,
                rung: .transcoded
            ),
            Still(testDescription: "and copied", name: "a.mkv", arguments: far + h264, seconds: 10, rung: .copied),
            Still(
                testDescription: "beside sound",
                name: "a.mp4",
                arguments: slow + sounding + h264,
                seconds: 6,
                rung: .transcoded
            ),
        ]
    }

    @Test(
        "when its header says that the movie lasts for longer than its tracks",
        arguments: [Rung.copied, .transcoded]
    )
    func movieHeader(rung: Rung) throws {
        var source = try FFmpeg.make("a.mp4", Self.moving + Self.h264)
        let header = try #require(source.firstRange(of: Array("mvhd".utf8)))
        // The highest byte of the duration (ISO/IEC 14496-12, 8.2.2).
        source[header.lowerBound + 20] = 1
        let (duration, times) = try clip(of: source, as: rung)
        #expect(abs(duration - 6) <= 0.1, "\(duration) s")
        expectEven(times, 149...150)
    }

    @Test("as far as its bytes go", arguments: [[], sounding])
    func cut(sound: [String]) throws {
        let source = try FFmpeg.make("a.mkv", Self.moving + sound + Self.h264)
        let (duration, times) = try clip(of: Array(source.prefix(source.count / 2)), as: .transcoded)
        let last = try #require(times.last)
        // The last picture lasts as long as the others.
        #expect((1.5...4.5).contains(last) && abs(duration - last - 0.04) <= 0.15, "\(duration) s, \(last)")
    }

    @Test("when its last picture is shown for long", arguments: Still.all)
    func held(still: Still) throws {
        let source = try FFmpeg.make(still.name, still.arguments)
        let (duration, times) = try clip(of: source, as: still.rung)
        #expect(abs(duration - still.seconds) <= 0.1, "\(duration) s, \(times)")
        #expect(times.first == 0)
    }
}

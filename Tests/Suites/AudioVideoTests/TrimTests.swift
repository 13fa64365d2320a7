import Base
import Foundation
import Media
import Support
import Testing

/// A clip whose color and pitch tell the time, and the part to cut out.
struct TrimCase: CustomTestStringConvertible, Sendable {
    var name: String
    var file: String
    var encoding: [String]
    var frameRate = 25
    var start: Double
    var duration: Double
    var rung: Rung

    var testDescription: String { name }

    private static let h264 = [
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "8", "-bf", "3", "-g", "40", "-pix_fmt", "yuv420p", "-c:a",
        "aac", "-b:a", "128k",
    ]
    private static let vp8 = [
        "-c:v", "libvpx", "-b:v", "2M", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus",
    ]
    private static let mpeg2 = ["-c:v", "mpeg2video", "-q:v", "2", "-c:a", "mp2"]

    static let all = [
        TrimCase(
            name: "copied from the beginning",
            file: "a.mp4",
            encoding: h264,
            start: 0,
            duration: 2,
            rung: .copied
        ),
        TrimCase(
            name: "copied from between key frames",
            file: "a.mp4",
            encoding: h264,
            start: 2.4,
            duration: 2,
            rung: .copied
        ),
        TrimCase(name: "copied from Matroska", file: "a.mkv", encoding: h264, start: 1.2, duration: 2, rung: .copied),
        TrimCase(
            name: "copied from a transport stream",
            file: "a.ts",
            encoding: h264,
            start: 1.2,
            duration: 2,
            rung: .copied
        ),
        TrimCase(
            name: "encoded from the beginning",
            file: "a.mp4",
            encoding: h264,
            start: 0,
            duration: 2,
            rung: .transcoded
        ),
        TrimCase(
            name: "encoded from between key frames",
            file: "a.mp4",
            encoding: h264,
            start: 2.4,
            duration: 2,
            rung: .transcoded
        ),
        TrimCase(
            name: "copied from fragments",
            file: "a.mp4",
            encoding: h264 + ["-movflags", "frag_keyframe+delay_moov"],
            start: 2.4,
            duration: 2,
            rung: .copied,
        ),
        TrimCase(name: "encoded from WebM", file: "a.webm", encoding: vp8, start: 1.2, duration: 2, rung: .transcoded),
        TrimCase(
            name: "encoded from a transport stream",
            file: "a.ts",
            encoding: mpeg2,
            start: 1.2,
            duration: 2,
            rung: .transcoded
        ),
        TrimCase(
            name: "encoded from a program stream",
            file: "a.mpg",
            encoding: mpeg2,
            start: 1.2,
            duration: 2,
            rung: .transcoded
        ),
    ]

    /// Makes six seconds of source.
    func makeSource() throws -> [UInt8] {
        let colors = "nullsrc=s=96x64:r=\(frameRate):d=6,geq=r='16+T*36':g='235-T*36':b='128+96*sin(T*3)'"
        let sound = "aevalsrc='0.4*sin(2*PI*(300*t+80*t*t))':s=48000:d=6"
        return try FFmpeg.make(file, FFmpeg.input(colors, sound) + encoding)
    }

    static func color(at time: Double) -> [Double] { [16 + time * 36, 235 - time * 36, 128 + 96 * sin(time * 3)] }

    static func sample(at time: Double) -> Double { 0.4 * sin(2 * .pi * (300 * time + 80 * time * time)) }
}

@Suite("Cutting", .needsFFmpeg, .timeLimit(.minutes(10)))
struct TrimTests {
    @Test("a clip has the frames and the sound of its part of the source, at their times", arguments: TrimCase.all)
    func trims(trim: TrimCase) throws {
        let bytes = try trim.makeSource()
        let sniffed = MediaSniffer.format(of: bytes.span)
        let (output, failure) = try transform(
            MemorySource(bytes),
            #require(sniffed),
            clip: ClipSelection(start: .seconds(trim.start), duration: .seconds(trim.duration)),
            rungs: [trim.rung],
        )
        #expect(failure == nil)
        let clip = try #require(output.last)
        #expect(clip.report.rung == trim.rung)
        #expect(try FFmpeg.complaints(about: clip.bytes) == "")

        let count = Int(trim.duration * Double(trim.frameRate))
        let times = try FFmpeg.frameTimes(of: clip.bytes)
        #expect(abs(times.count - count) <= 1, "\(times.count) frames")
        #expect(clip.report.frames == times.count)
        // The first frame is shown from the start, even if the cut lies between two frames of the source.
        let interval = 1 / Double(trim.frameRate)
        #expect(times.first == 0 && times[1] > interval / 2 && times[1] < interval * 3 / 2, "\(times)")
        let late = times.enumerated().dropFirst().map { abs($1 - times[1] - Double($0 - 1) * interval) }
        #expect(late.allSatisfy { $0 <= 0.003 }, "\(times)")
        let off = zip(times, try FFmpeg.colors(of: clip.bytes)).map { time, color in
            zip(color, TrimCase.color(at: trim.start + time)).map { abs(Double($0) - $1) }.max() ?? 0
        }
        #expect(off.count == times.count && off.allSatisfy { $0 <= 20 }, "\(off)")
        try expectSound(FFmpeg.samples(of: clip.bytes), of: trim)
    }

    @Test("a clip that would begin after the end begins at the beginning")
    func behindEnd() throws {
        let bytes = try TrimCase.all[0].makeSource()
        for rung in [Rung.poster, .copied, .transcoded] {
            let clip = ClipSelection(start: .seconds(60), duration: .seconds(2))
            let output = try transform(MemorySource(bytes), .mp4, clip: clip, rungs: [rung]).output
            let last = try #require(output.last)
            let color = try #require(FFmpeg.colors(of: last.bytes).first)
            #expect(zip(color, TrimCase.color(at: 0)).allSatisfy { abs(Double($0) - $1) <= 20 }, "\(color)")
        }
    }

    private func expectSound(_ samples: [Double], of trim: TrimCase) throws {
        #expect(abs(Double(samples.count) / 8000 - trim.duration) <= 0.05, "\(samples.count) samples")
        // Takes half a second in the middle, at the best match within 30 ms.
        let (lags, middle) = (480, samples.count / 2 - 2000..<samples.count / 2 + 2000)
        let heard = Array(samples[middle])
        let expected = (middle.lowerBound - lags / 2..<middle.upperBound + lags / 2).map { index in
            TrimCase.sample(at: trim.start + Double(index) / 8000)
        }
        let best = (0...lags).map { correlation(heard, expected, from: $0) }.max() ?? 0
        #expect(best > 0.95, "correlation \(best)")
    }

    /// Returns the correlation of `left` with as many samples of `right`. A plain loop, because `zip` takes fifty times as
    /// long in a debug build.
    private func correlation(_ left: [Double], _ right: [Double], from start: Int) -> Double {
        var (both, own, other) = (0.0, 0.0, 0.0)
        for index in 0..<left.count {
            let (a, b) = (left[index], right[start + index])
            both += a * b
            own += a * a
            other += b * b
        }
        return both / max(1e-9, (own * other).squareRoot())
    }
}

import AudioVideo
import Base
import DecoderWire
import Foundation
import Media
import Support
import Testing

@Suite("A clip of a long source", .needsFFmpeg, .serialized)
struct PartsTests {
    /// Arguments for a minute and a half of video that needs many bytes.
    private static let source: [String] =
        FFmpeg.input("testsrc2=size=320x240:rate=25,noise=alls=40:allf=t", "sine") + [
            "-t", "90", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-b:v", "800k", "-c:a", "aac",
        ]
    private static let front = Result { try FFmpeg.make("front.mp4", source + ["-movflags", "+faststart"]) }
    private static let end = Result { try FFmpeg.make("end.mp4", source) }

    @Test(
        "costs its index and its own bytes, in few requests, wherever the index is and the clip begins",
        arguments: [true, false],
        [0, 51],
    )
    func clip(isInFront: Bool, start: Int) throws {
        let bytes = try (isInFront ? Self.front : Self.end).get()
        let source = PartedSource(bytes)
        let clip = ClipSelection(start: .seconds(start))
        let (output, failure) = try transform(source, .mp4, clip: clip, rungs: [.poster, .copied])
        #expect(failure == nil)
        let copied = try #require(output.last)
        #expect(copied.report.rung == .copied)
        #expect(abs((copied.report.durationMilliseconds ?? 0) - 10_000) < 50)
        // The rest: the first block, the first frames, which libav looks at, and two seconds before the start.
        let needed = try index(of: bytes) + copied.report.byteCount
        #expect(source.present.count < needed * 11 / 10 + 131_072 + (start > 0 ? 400_000 : 0))
        #expect(source.present.count == source.requests.reduce(0) { $0 + $1.count })
        #expect(source.requests.count <= (start > 0 ? 8 : 4), "\(source.requests)")
    }

    @Test(
        "is the same from parts as from the whole source, in every format",
        .needsSharedMedia,
        arguments: ClipPromise.videos + ClipPromise.sounds,
        [Duration.zero, .milliseconds(500)],
    )
    func everyFormat(promise: ClipPromise, start: Duration) throws {
        let bytes = try SharedMedia.bytes(promise.path)
        let sniffed = MediaSniffer.format(of: bytes.span)
        let format = try #require(sniffed)
        let parted = PartedSource(bytes, firstByteCount: 8192, blockByteCount: 8192)
        let rungs: Set<Rung> = promise.width == nil ? Set(Rung.allCases) : [.poster, .copied]
        let clip = ClipSelection(start: start)
        let whole = try transform(MemorySource(bytes), format, clip: clip, rungs: rungs).output.last?.report
        let report = try transform(parted, format, clip: clip, rungs: rungs).output.last?.report
        #expect(report != nil && report?.rung == whole?.rung)
        #expect(report?.width == whole?.width && report?.height == whole?.height)
        let durations = [whole, report].map { $0?.durationMilliseconds ?? 0 }
        #expect(abs(durations[0] - durations[1]) <= 50, "\(durations)")
        #expect(parted.requests.count <= 64, "\(parted.requests.count)")
    }

    /// Returns the size of a movie's index, in bytes.
    private func index(of bytes: [UInt8]) throws -> Int {
        let name = try #require(Data(bytes).range(of: Data("moov".utf8))).lowerBound
        return bytes[name - 4..<name].reduce(0) { $0 << 8 | Int($1) }
    }
}

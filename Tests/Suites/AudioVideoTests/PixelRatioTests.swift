import AudioVideo
import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Decoding

/// A video whose pixels are not square.
struct StretchedVideo: CustomTestStringConvertible, Sendable {
    var stored: (width: Int, height: Int)
    /// The width of a pixel to its height.
    var ratio: (Int, Int)
    /// A Boolean value that indicates whether the track is to be shown turned by a quarter.
    var isTurned = false

    var testDescription: String {
        "\(stored.width)x\(stored.height), \(ratio.0):\(ratio.1)\(isTurned ? ", turned" : "")"
    }

    /// The ratios of ITU-T H.264, table E-1, that discs, broadcasts and phones have.
    private static let ratios = [(4, 3), (3, 2), (12, 11), (10, 11), (16, 11), (40, 33), (64, 45), (3, 4)]

    static let all = ratios.flatMap { ratio in
        [
            StretchedVideo(stored: (480, 360), ratio: ratio), StretchedVideo(stored: (270, 480), ratio: ratio),
            StretchedVideo(stored: (480, 352), ratio: ratio, isTurned: true),
        ]
    }

    var shownSize: PixelSize {
        let width = Int((Double(stored.width * ratio.0) / Double(ratio.1)).rounded())
        let size = PixelSize(width: width, height: stored.height)
        return isTurned ? size.transposed : size
    }

    func bytes() throws -> [UInt8] {
        let source = "testsrc=s=\(stored.width)x\(stored.height):d=0.5:r=10,setsar=\(ratio.0)/\(ratio.1)"
        let encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
        var bytes = try FFmpeg.make("a.mp4", FFmpeg.input(source) + encoding)
        guard isTurned else { return bytes }
        let matrix = try #require(bytes.firstRange(of: Array("tkhd".utf8))).upperBound + 40
        for (index, number) in [0, 1, 0, -1, 0].enumerated() where number != 0 || index % 4 == 0 {
            let fixed = UInt32(bitPattern: Int32(number) << 16)
            for byte in 0..<4 { bytes[matrix + 4 * index + byte] = UInt8(fixed >> (24 - 8 * UInt32(byte)) & 0xFF) }
        }
        return bytes
    }
}

@Suite("Pixels that are not square", .needsFFmpeg, .timeLimit(.minutes(10)))
struct PixelRatioTests {
    @Test(
        "keep their shape in a copy, become square in a new encoding, and the worker finds the same size",
        arguments: StretchedVideo.all,
    )
    func shape(video: StretchedVideo) throws {
        let bytes = try video.bytes()
        for rung in [Rung.copied, .transcoded] { try expectShape(of: video, bytes, as: rung) }
    }

    private func expectShape(of video: StretchedVideo, _ bytes: [UInt8], as rung: Rung) throws {
        let (output, failure) = try transform(MemorySource(bytes), .mp4, rungs: [rung])
        #expect(failure == nil)
        let clip = try #require(output.last)
        let size = rung == .copied ? video.shownSize : video.shownSize.even
        #expect(clip.report.width == size.width && clip.report.height == size.height)
        let file = try OutputFile(capacity: clip.bytes.count)
        _ = unsafe pwrite(file.descriptor, clip.bytes, clip.bytes.count, 0)
        let request = ConversionRequest(
            format: .mp4,
            image: Profile.apns.image,
            animation: nil,
            video: Profile.apns.video,
        )
        #expect(OutputCheck.accepted(clip.report, file, for: request) != nil)
        let probed = try FFmpeg.shownSize(of: clip.bytes)
        let stored = rung == .copied && video.isTurned ? size.transposed : size
        #expect(abs(probed.width - Double(stored.width)) <= 0.5 && Int(probed.height) == stored.height, "\(probed)")
    }
}

extension PixelSize {
    fileprivate var even: PixelSize { PixelSize(width: width & ~1, height: height & ~1) }
}

extension FFmpeg {
    /// Returns the size of the first video stream with square pixels, before it is turned.
    fileprivate static func shownSize(of bytes: [UInt8]) throws -> (width: Double, height: Double) {
        try withFile(bytes) { path in
            let entries = ["-select_streams", "v", "-show_entries", "stream=width,height,sample_aspect_ratio"]
            let line = try run("ffprobe", ["-v", "error"] + entries + ["-of", "csv=p=0", path]).lines[0]
            let fields = line.split { $0 == "," || $0 == ":" }.compactMap { Double($0) }
            return (fields[0] * (fields.count > 3 ? fields[2] / fields[3] : 1), fields[1])
        }
    }
}

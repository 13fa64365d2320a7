import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Decoding

@Suite("A clip's header", .timeLimit(.minutes(1)), .needsSharedMedia)
struct ClipHeaderTests {
    /// Decodes a source, and returns the report and the clip's bytes.
    private func clip(of path: String) async throws -> (report: RungReport, bytes: [UInt8]) {
        var best: ReadyRung?
        try await DecoderPool.with("attachd-decoder") { pool in
            best = try await pool.convert(SharedMedia.bytes(path)).rungs.last
        }
        let rung = try #require(best)
        return (rung.report, rung.file.prefix(rung.file.capacity))
    }

    private func accepts(_ report: RungReport, _ bytes: [UInt8], _ profile: Profile = .apns) throws -> Bool {
        let file = try OutputFile(capacity: bytes.count)
        _ = unsafe pwrite(file.descriptor, bytes, bytes.count, 0)
        let request = ConversionRequest(
            format: .mp4,
            image: profile.image,
            animation: nil,
            video: profile.video,
            audio: profile.audio,
        )
        return OutputCheck.accepted(report, file, for: request) != nil
    }

    @Test("is read from the delivered file", arguments: ["video/torchcodec__nasa_13013.mp4", "audio/media__bear.flac"])
    func reads(path: String) async throws {
        let (report, bytes) = try await clip(of: path)
        let found = ClipHeader(bytes.span)
        let header = try #require(found)
        #expect(header.format == report.format)
        #expect(header.width == report.width && header.height == report.height)
        #expect(try accepts(report, bytes))
    }

    @Test("is missing if the clip is truncated or has more bytes than its boxes say")
    func cut() async throws {
        let bytes = try await clip(of: "video/generated__mov-rotate90-shared.mov").bytes
        for count in stride(from: 0, to: bytes.count, by: 97) {
            let isWhole = ClipHeader(Array(bytes.prefix(count)).span) != nil
            #expect(!isWhole, "\(count)")
        }
        let isLonger = ClipHeader((bytes + [0, 0, 0, 0]).span) != nil
        #expect(!isLonger)
    }

    @Test("exposes a decoder that lies")
    func lies() async throws {
        let (report, bytes) = try await clip(of: "video/generated__mov-rotate90-shared.mov")
        #expect(try accepts(report, bytes))
        for lie in [\RungReport.width, \.height, \.durationMilliseconds] {
            var claim = report
            claim[keyPath: lie] = 1000
            #expect(try !accepts(claim, bytes))
            claim[keyPath: lie] = nil
            #expect(try !accepts(claim, bytes))
        }
        var short = Profile.apns
        short.video?.duration = .seconds(1)
        #expect(try !accepts(report, bytes, short))
        short = .apns
        short.video?.longEdge = 200
        #expect(try !accepts(report, bytes, short))
        #expect(try !accepts(report, bytes, .fcm))
    }

    @Test("S6: is not searched for in millions of empty boxes, which would take more memory than the file")
    func emptyBoxes() async {
        await #expect(processExitsWith: .success) {
            let box: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
            let type: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0]
            var bytes = type
            bytes.reserveCapacity(50_000_016)
            for _ in 0..<6_250_000 { bytes += box }
            let before = Self.peakBytes
            for _ in 0..<3 {
                let isClip = ClipHeader(bytes.span) != nil
                #expect(!isClip)
            }
            #expect(Self.peakBytes - before < 20_000_000)
        }
    }

    /// The peak resident memory of this process.
    private static var peakBytes: Int {
        var usage = rusage()
        return unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? usage.ru_maxrss * 1024 : .max
    }

    @Test("never ends the process, whatever its bytes")
    func garbage() async throws {
        var bytes = try await clip(of: "video/generated__mov-rotate90-shared.mov").bytes
        bytes = Array(bytes.prefix(3000))
        for offset in 8..<bytes.count {
            var damaged = bytes
            for index in offset..<min(offset + 8, damaged.count) { damaged[index] = 0xFF }
            if let header = ClipHeader(damaged.span) { #expect((header.durationMilliseconds ?? 0) >= 0) }
        }
    }
}

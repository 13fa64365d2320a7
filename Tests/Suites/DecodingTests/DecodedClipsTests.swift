import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Testing

/// Tests with the real decoder program.
@Suite(.timeLimit(.minutes(10)), .needsSharedMedia)
struct DecodedClipsTests {
    @Test("video and sound of every format becomes a clip behind the system-call filter")
    func everyFormat() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            for path in SharedMedia.paths(in: "video") + SharedMedia.paths(in: "audio") {
                let conversion = try await pool.convert(SharedMedia.bytes(path))
                #expect(conversion.failure == nil, "\(path)")
                let best = try #require(conversion.rungs.last, "\(path)")
                #expect(best.report.format.kind != .image, "\(path)")
                #expect(best.report.durationMilliseconds != nil, "\(path)")
            }
        }
    }
}

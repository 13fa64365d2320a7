import Foundation
import Payloads
import Support
import Testing

@Suite("A long video", .timeLimit(.minutes(10)), .needsSharedMedia)
struct LongVideoTests {
    let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    /// Returns a video with its index behind its pictures, and five megabytes of nothing behind that.
    private static func source() throws -> [UInt8] {
        let nothing: [UInt8] = [0, 0x4C, 0x4B, 0x40] + Array("free".utf8) + [UInt8](repeating: 0, count: 4_999_992)
        return try SharedMedia.bytes("video/generated__moov-at-end-12s-shared.mp4") + nothing
    }

    @Test("costs only the parts for its clip, if its origin has ranges")
    func part() async throws {
        let source = try Self.source()
        let origin = try OriginServer { .ranges(of: source, to: $0, type: "video/mp4") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/long.mp4"))
        #expect(outcome.outcome == "complete" && outcome.rung == "copied")
        #expect(outcome.number("/attachments/0/duration") == 10_000)
        #expect(outcome.number("/attachments/0/source/bytes") == source.count)
        let fetched = try #require(outcome.number("/attachments/0/source/fetched"))
        #expect(fetched < 500_000)
        #expect(origin.requests.compactMap(\.range).reduce(0) { $0 + $1.count } == fetched)
    }

    @Test("is read in order up to the end of its clip, if its origin has none")
    func inOrder() async throws {
        let source = try SharedMedia.bytes("video/torchcodec__nasa_13013.mp4")
        // The bytes behind the index never come.
        let origin = try OriginServer { _ in .stall(after: 700_000, of: source + source, type: "video/mp4") }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/long.mp4"))
        #expect(outcome.outcome == "complete" && outcome.rung == "copied")
        #expect(outcome.number("/attachments/0/source/fetched").map { $0 <= 700_000 } == true)
    }

    @Test("is made from the true bytes, if its origin lies")
    func liar() async throws {
        let source = try SharedMedia.bytes("video/media__bbb_642x642_768kbps_30fps_vp9.webm")
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: source, to: request)
            if request.range?.lowerBound ?? 0 > 0 { answer.setHeader("Content-Range", "bytes 0-9/10") }
            return answer
        }
        defer { origin.stop() }
        let outcome = try await attachd.process(origin.url("/long.webm"))
        #expect(outcome.status == 0 && outcome.outcome == "degraded" && outcome.rung != nil)
        #expect(outcome.value("/errors/0/reason")?.text == "originLied")
        #expect(outcome.number("/attachments/0/source/fetched") == 131_072)
    }
}

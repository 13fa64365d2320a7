import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of answers with coded bodies: nothing is decoded, whatever the head says (SECURITY N8).
@Suite("Coded answers", .timeLimit(.minutes(10)))
struct CodingTests {
    /// Nested gzips of empty blocks: five kilobytes that take hours to decompress, and contain no byte.
    private static let bomb: [UInt8] = {
        let empty: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var bytes = head + Array(repeatElement(empty, count: 2_000_000).joined()) + [1, 0, 0, 0xFF, 0xFF]
        bytes += [UInt8](repeating: 0, count: 8)
        for _ in 0..<3 { bytes = (try? Gzip.compress(bytes)) ?? [] }
        return bytes
    }()

    private static let transferFields = [
        "Transfer-Encoding: gzip, gzip, gzip, gzip", "Transfer-Encoding: gzip, chunked",
        "transfer-encoding: chunked, gzip",
        "TRANSFER-ENCODING:gzip,chunked", "Transfer-Encoding: x-gzip", "Transfer-Encoding: deflate",
        "Transfer-Encoding: br", "Transfer-Encoding: identity, gzip", "Transfer-Encoding: \t gzip \t",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "Transfer-Encoding:\r\n gzip", "Transfer-Encoding: ",
        "Transfer-Encoding : gzip", "Transfer-Encoding: compress",
    ]

    private static let contentFields = [
        "Content-Encoding: gzip", "Content-Encoding: gzip, gzip, gzip, gzip", "content-encoding: br",
        "Content-Encoding: identity\r\nContent-Encoding: gzip", "Content-Encoding:\r\n gzip", "Content-Encoding: zstd",
        "Content-Encoding: none", "Content-Encoding: identity, gzip", "CONTENT-ENCODING:deflate",
    ]

    private static func answer(_ head: String) -> OriginAnswer {
        var answer = OriginAnswer.body(bomb)
        answer.rawHead = Array("\(head)\r\nContent-Length: \(bomb.count)\r\n\r\n".utf8)
        answer.ending = .close
        return answer
    }

    /// Returns the failure that `answer` leads to, after a check that the loop still turns.
    private func reason(_ answer: OriginAnswer) async throws -> AttachmentFailure.Reason? {
        let hostile = try OriginServer { $0.path == "/" ? answer : .body([1, 2, 3]) }
        defer { hostile.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let fetched = try await downloader.fetch(hostile.url())
        #expect(fetched.isConsistent)
        #expect(try await downloader.fetch(hostile.url("/honest")).bytes == [1, 2, 3])
        return fetched.reason
    }

    @Test("the answer itself", arguments: transferFields + contentFields)
    func answer(field: String) async throws {
        #expect(try await reason(Self.answer("HTTP/1.1 200 OK\r\n\(field)")) == .originLied)
    }

    @Test("a redirect, an error, and an answer without a body", arguments: [302, 404, 503, 304, 204])
    func otherStatus(status: Int) async throws {
        let field = "Transfer-Encoding: gzip, gzip, gzip, gzip"
        #expect(try await reason(Self.answer("HTTP/1.1 \(status) S\r\nLocation: /a\r\n\(field)")) == .originLied)
    }

    @Test("an interim answer", arguments: [100, 102, 103])
    func interim(status: Int) async throws {
        let head = "HTTP/1.1 \(status) S\r\nTransfer-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK"
        #expect(try await reason(Self.answer(head)) == .originLied)
    }

    @Test("a trailer")
    func trailer() async throws {
        var answer = OriginAnswer.body(Array("3\r\nabc\r\n0\r\nTransfer-Encoding: gzip, gzip\r\n\r\n".utf8))
        answer.rawHead = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        #expect(try await reason(answer) == .originLied)
    }

    @Test(
        "the content encoding of a body that is not read doesn't matter",
        arguments: [(404, .httpStatus), (302, nil)]
            as [(Int, AttachmentFailure.Reason?)]
    )
    func unread(status: Int, expected: AttachmentFailure.Reason?) async throws {
        let field = "Content-Encoding: gzip\r\nLocation: /a"
        #expect(try await reason(Self.answer("HTTP/1.1 \(status) S\r\n\(field)")) == expected)
    }

    @Test("encodings that leave the bytes unchanged are accepted", arguments: ["identity", "Identity", " identity "])
    func identity(coding: String) async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.chunked(pattern(10_000))
            answer.headers = [("Content-Encoding", coding)]
            return answer
        }
        defer { origin.stop() }
        #expect(try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url()).holds(pattern(10_000)))
        #expect(origin.requests.map { $0.headers["accept-encoding"] } == ["identity"])
        #expect(origin.requests.map { $0.headers["te"] } == [nil])
    }

    @Test(
        "the answer to a callback counts by its status, and the loop turns on",
        arguments: ["Transfer-Encoding: gzip, gzip, gzip, gzip", "Content-Encoding: gzip, gzip, gzip, gzip"],
    )
    func callback(field: String) async throws {
        let answer = Self.answer("HTTP/1.1 200 OK\r\n\(field)")
        let hostile = try OriginServer { _ in answer }
        defer { hostile.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        for _ in 0..<2 {
            let message = OutgoingMessage(body: [1], headers: [:])
            let answer = try await downloader.client.send(
                message,
                to: hostile.url(),
                until: SystemTime().now + .seconds(540)
            )
            #expect(answer.status == 200 && answer.body == [] && answer.failure?.reason == .originLied)
        }
    }
}

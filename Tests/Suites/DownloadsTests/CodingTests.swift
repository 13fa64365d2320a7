import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of answers with coded bodies: one layer of a body is undone beside the loop, and everything else ends at its head (SECURITY
/// N8, N22).
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
        "Content-Encoding: gzip, gzip, gzip, gzip", "content-encoding: br", "Content-Encoding: zstd",
        "Content-Encoding: compress", "CONTENT-ENCODING:deflate, gzip",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip",
        "Content-Encoding: gzip,\r\n gzip", "Content-Encoding: aws-chunked, br",
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

    @Test(
        "words that are no registered coding leave the bytes as they are",
        arguments: [
            "identity", "Identity", " identity ", "", "aws-chunked", "aws-chunked,", "base64", "none", "utf-8", "UTF-8",
            "binary", "8bit", "image/jpeg", "gzip;q=0",
        ]
    )
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

    /// A way in which an origin codes a picture.
    struct Coded: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var field: String
        var body: [UInt8]
        var framing = OriginAnswer.Framing.contentLength
    }

    private static let source = pattern(200_000)
    private static let gzip = (try? Gzip.compress(source)) ?? []
    /// The bytes of deflate without a head: gzip's head is ten bytes and the file's name, its end eight.
    private static let raw = Array(gzip.dropFirst(10 + "body".utf8.count + 1).dropLast(8))
    private static let zlib: [UInt8] = {
        var (low, high) = (1, 0)
        for byte in source { (low, high) = ((low + Int(byte)) % 65_521, (high + low + Int(byte)) % 65_521) }
        let sum = UInt32(high << 16 | low)
        return [0x78, 0x9C] + raw + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }()

    @Test(
        "one layer of gzip or deflate is undone, though none was asked for",
        arguments: [
            Coded(testDescription: "gzip", field: "gzip", body: gzip),
            Coded(testDescription: "gzip in chunks", field: "gzip", body: gzip, framing: .chunked),
            Coded(testDescription: "gzip until the end of the connection", field: "gzip", body: gzip, framing: .none),
            Coded(testDescription: "x-gzip", field: "X-GZIP", body: gzip),
            Coded(testDescription: "with a word that means nothing", field: "aws-chunked, gzip", body: gzip),
            Coded(testDescription: "bytes behind the end", field: "gzip", body: gzip + [0, 0, 0, 1, 2, 3]),
            Coded(testDescription: "deflate with zlib's head", field: "deflate", body: zlib),
            Coded(testDescription: "deflate without a head", field: "deflate", body: raw),
            Coded(testDescription: "plain bytes under the name of gzip", field: "gzip", body: source),
            Coded(
                testDescription: "plain bytes under the name of deflate",
                field: "deflate",
                body: [0xFF, 0xD8] + source.dropFirst(2)
            ),
        ]
    )
    func coded(coded: Coded) async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.encoded(coded.body, as: coded.field)
            answer.framing = coded.framing
            answer.pieceSize = 5000
            if case .none = coded.framing { answer.ending = .close }
            return answer
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(), wantsAll: true)
        let isPlain = coded.body.count == Self.source.count
        #expect(fetched.failure == nil && fetched.isConsistent && fetched.holds(isPlain ? coded.body : Self.source))
        #expect(origin.requests.count == 1)
    }

    @Test("all members of a gzip body are its source", arguments: [1, 2, 3, 10_000])
    func members(pieceSize: Int) async throws {
        let origin = try OriginServer { _ in
            let bytes = [UInt8]((0..<3).map { _ in Self.gzip }.joined())
            var answer = OriginAnswer.encoded(bytes, as: "gzip")
            answer.framing = .chunked
            answer.pieceSize = max(pieceSize, bytes.count / 5000)
            return answer
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(), wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(Self.source + Self.source + Self.source))
    }

    @Test("a download that is cancelled while its body is decoded is not whole")
    func cancelled() async throws {
        let source = [UInt8](repeating: 7, count: 20_000_000)
        let body = try Gzip.compress(source)
        let origin = try OriginServer { _ in .encoded(body, as: "gzip") }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        // The reader wants little, so that the decoding waits.
        let file = try MediaFile(byteLimit: 100_000_000)
        let download = Task { await downloader.download(origin.url(), into: file, timeLimit: .seconds(540)) }
        _ = await file.progress(reaching: 8_000_000)
        download.cancel()
        let fetched = await download.value
        #expect(fetched.reason == .cancelled && file.progress.byteCount < source.count)
    }

    @Test(
        "a whole body whose declared length is that of other bytes is whole",
        arguments: [OriginAnswer.Ending.close, .hold]
    )
    func wrongLength(ending: OriginAnswer.Ending) async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.encoded(Self.gzip, as: "gzip")
            (answer.framing, answer.ending) = (.claimedLength(Self.source.count), ending)
            return answer
        }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.http.stall.window = .seconds(10)
        let fetched = try await Downloader(settings: settings).fetch(origin.url(), wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(Self.source))
    }

    @Test("what came of a body that breaks off or is damaged is kept")
    func damaged() async throws {
        let half = Array(Self.gzip.prefix(Self.gzip.count / 2))
        for body in [half, half + [UInt8](repeating: 0xFF, count: 50_000)] {
            let origin = try OriginServer { _ in .encoded(body, as: "gzip") }
            defer { origin.stop() }
            let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(), wantsAll: true)
            #expect(fetched.reason == .originLied && fetched.isConsistent && fetched.bytes.count > 10_000)
            #expect(fetched.holdsBeginning(of: Self.source))
        }
    }

    @Test("a coded part is asked for once more, whole")
    func codedPart() async throws {
        let origin = try OriginServer { request in
            guard request.range != nil else { return .encoded(Self.gzip, as: "gzip") }
            var answer = OriginAnswer.ranges(of: Self.source, to: request)
            answer.setHeader("Content-Encoding", "gzip")
            return answer
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let fetched = try await downloader.fetch(origin.url("/a.mp4"), wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(Self.source))
        #expect(origin.requests.map { $0.headers["range"] != nil } == [true, false])
    }

    /// Ten megabytes of nothing in ten kilobytes, blocks without a byte, and a body that never ends.
    @Test(
        "a bomb ends at the source's limit, and the other downloads of its site go on",
        arguments: ["zeros", "blocks", "endless"]
    )
    func bomb(kind: String) async throws {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let body: [UInt8]
        switch kind {
        case "zeros": body = try Gzip.compress([UInt8](repeating: 0, count: 10_000_000))
        case "blocks": body = head + Array(repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 1_000_000).joined())
        default: body = head + Array(repeatElement([0, 1, 0, 0xFE, 0xFF, 7] as [UInt8], count: 1_000_000).joined())
        }
        let origin = try OriginServer { $0.path == "/" ? .encoded(body, as: "gzip") : .body(Self.source) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        async let bomb = downloader.fetch(origin.url(), wantsAll: true)
        for _ in 0..<10 {
            #expect(try await downloader.fetch(origin.url("/honest"), wantsAll: true).holds(Self.source))
        }
        let fetched = try await bomb
        #expect(fetched.reason == .tooLarge && fetched.isConsistent && fetched.bytes.count <= 1_000_000)
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

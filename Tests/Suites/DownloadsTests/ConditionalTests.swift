import Downloads
import HTTPClient
import Media
import Support
import Synchronization
import Testing

@Suite("Requesting a source only if it has changed", .timeLimit(.minutes(10)))
struct ConditionalTests {
    /// The heads that a download reported.
    final class Heads: Sendable {
        private let heads = Mutex<[SourceHead]>([])

        var all: [SourceHead] { heads.withLock { $0 } }
        func record(_ event: ProgressEvent) {
            if case .head(let head) = event { heads.withLock { $0.append(head) } }
        }
    }

    private let heads = Heads()

    private func fetch(_ url: String, unless known: SourceValidators? = nil) async throws -> Fetched {
        let file = try MediaFile(byteLimit: 1_000_000)
        return try await Downloader(settings: .opening("127.0.0.1")).download(
            url,
            into: file,
            timeLimit: .seconds(540),
            unless: known,
            onEvent: { [heads] in heads.record($0) },
        )
    }

    private static func answer(_ fields: (String, String)..., body: [UInt8] = [1, 2, 3]) -> OriginAnswer {
        var answer = OriginAnswer.body(body)
        answer.headers = fields.map { (name: $0.0, value: $0.1) }
        return answer
    }

    @Test("the head is reported with its validators, several fields of one name as one")
    func head() async throws {
        let origin = try OriginServer { _ in
            Self.answer(("Cache-Control", "max-age=60"), ("ETag", "W/\"a\""), ("Cache-Control", "private"))
        }
        defer { origin.stop() }
        #expect(try await fetch(origin.url("/a")).bytes == [1, 2, 3])
        let head = try #require(heads.all.first)
        #expect(heads.all.count == 1 && head.status == 200 && !head.freshness.isShareable)
        #expect(head.freshness.answers.map(\.lifetime) == [.seconds(60)])
        #expect(head.validators == SourceValidators(entityTag: "W/\"a\""))
    }

    @Test("validators of more than 256 bytes aren't kept", arguments: [256, 257, 60_000])
    func longValidators(length: Int) async throws {
        let tag = "\"\(String(repeating: "a", count: length - 2))\""
        let origin = try OriginServer { _ in
            Self.answer(("ETag", tag), ("Last-Modified", String(repeating: "b", count: 257)))
        }
        defer { origin.stop() }
        #expect(try await fetch(origin.url("/a")).bytes == [1, 2, 3])
        let head = try #require(heads.all.first)
        #expect(head.validators == (length > 256 ? nil : SourceValidators(entityTag: tag)))
    }

    @Test("an unchanged source isn't fetched: both validators are sent, and the file ends without a byte")
    func unchanged() async throws {
        let date = "Sat, 21 Nov 2026 10:00:00 GMT"
        let origin = try OriginServer { _ in
            var answer = Self.answer(("Cache-Control", "max-age=5"), ("ETag", "\"a\""), body: [])
            answer.status = 304
            answer.framing = .none
            return answer
        }
        defer { origin.stop() }
        let known = SourceValidators(entityTag: "\"a\"", lastModified: date)
        let fetched = try await fetch(origin.url("/a"), unless: known)
        #expect(fetched.status == 304 && fetched.reason == .cancelled)
        #expect(fetched.bytes.isEmpty && fetched.isConsistent)
        let request = try #require(origin.requests.first)
        #expect(request.headers["if-none-match"] == "\"a\"" && request.headers["if-modified-since"] == date)
        #expect(heads.all.map(\.status) == [304])
        #expect(heads.all.last?.freshness.answers.last?.lifetime == .seconds(5))
    }

    @Test("a changed source comes with the same answer")
    func changed() async throws {
        let origin = try OriginServer { _ in Self.answer(("ETag", "\"b\"")) }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a"), unless: SourceValidators(entityTag: "\"a\""))
        #expect(fetched.status == 200 && fetched.bytes == [1, 2, 3] && origin.requests.count == 1)
    }

    @Test("304 is an unexpected status if the worker had no validators")
    func unasked() async throws {
        let origin = try OriginServer { _ in .status(304) }
        defer { origin.stop() }
        #expect(try await fetch(origin.url("/a")).reason == .httpStatus)
        #expect(heads.all.isEmpty)
    }

    @Test("all answers of a chain count, and validators belong to the URL that sent them")
    func redirects() async throws {
        let target = Mutex("/b")
        let origin = try OriginServer { request in
            guard request.path == "/a" else { return Self.answer(("ETag", "\"1\"")) }
            return .redirect(to: target.withLock { $0 })
        }
        defer { origin.stop() }
        _ = try await fetch(origin.url("/a"))
        #expect(heads.all.map(\.status) == [302, 200])
        #expect(heads.all.last?.freshness.answers.count == 2)
        let known = try #require(heads.all.last?.validators)
        #expect(known == SourceValidators(entityTag: "\"1\"", redirectedTo: origin.url("/b")))

        _ = try await fetch(origin.url("/a"), unless: known)
        target.withLock { $0 = "/c" }
        _ = try await fetch(origin.url("/a"), unless: known)
        #expect(origin.requests.map(\.path) == ["/a", "/b", "/a", "/b", "/a", "/c"])
        #expect(origin.requests.map { $0.headers["if-none-match"] } == [nil, nil, nil, "\"1\"", nil, nil])
    }

    @Test("a clip's first part is requested conditionally, and its other parts as parts of the new source")
    func parts() async throws {
        let bytes = pattern(400_000)
        let origin = try OriginServer { request in .ranges(of: bytes, to: request, tag: "\"b\"") }
        defer { origin.stop() }
        let file = try MediaFile(byteLimit: 1_000_000)
        file.want(0..<bytes.count)
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).download(
            origin.url("/a.mp4"),
            into: file,
            timeLimit: .seconds(540),
            unless: SourceValidators(entityTag: "\"a\""),
        )
        #expect(fetched.failure == nil && file.progress.byteCount == bytes.count)
        #expect(origin.requests.map { $0.headers["if-none-match"] == "\"a\"" }.prefix(2) == [true, false])
        #expect(origin.requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"b\"" })
    }
}

import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Downloads in parts", .timeLimit(.minutes(10)))
struct PartsTests {
    private static let source = pattern(3_000_000)

    /// Downloads for a reader that wants the ranges one after the other, and nothing after the last.
    private func fetch(
        _ url: String,
        kind: MediaFormat.Kind? = nil,
        wanting ranges: [Range<Int>],
        byteLimit: Int = 10_000_000,
        rule: RangeRule = RangeRule(),
    ) async throws -> Fetched {
        var settings = try DownloadSettings.opening("127.0.0.0/8")
        settings.ranges = rule
        let downloader = Downloader(settings: settings)
        let file = try MediaFile(byteLimit: byteLimit)
        async let fetched = downloader.download(url, into: file, timeLimit: .seconds(540), kind: kind)
        for range in ranges {
            file.want(range)
            _ = await file.contents { $0.has(range) || $0.ending != nil }
        }
        if file.contents.ending == nil, !file.contents.isComplete {
            file.end(.cut(AttachmentFailure(.download, .cancelled, "The test has enough.")))
        }
        return await fetched
    }

    @Test("a picture costs one plain request, whatever its origin supports")
    func picture() async throws {
        let origin = try OriginServer { .ranges(of: Self.source, to: $0, type: "image/jpeg") }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.jpg"), wanting: [0..<512, 0..<Int.max])
        #expect(fetched.failure == nil && fetched.holds(Self.source))
        #expect(origin.requests.map { $0.headers["range"] } == [nil])
    }

    @Test(
        "only the wanted bytes of declared video or sound are fetched, and no byte twice",
        arguments: [("/a.mp4?size=1", nil), ("/A.MP3", nil), ("/a", .video), ("/a.jpg", .audio)]
            as [(String, MediaFormat.Kind?)],
    )
    func parts(path: String, kind: MediaFormat.Kind?) async throws {
        let origin = try OriginServer { .ranges(of: Self.source, to: $0) }
        defer { origin.stop() }
        let fetched = try await fetch(
            origin.url(path),
            kind: kind,
            wanting: [0..<512, 2_990_000..<2_990_001, 1_000_000..<1_200_000, 1_100_000..<1_300_000],
        )
        let asked = origin.requests.compactMap(\.range)
        #expect(asked == [0..<131_072, 2_990_000..<3_000_000, 1_000_000..<1_200_000, 1_200_000..<1_300_000])
        #expect(fetched.file.contents.present.ranges == [0..<131_072, 1_000_000..<1_300_000, 2_990_000..<3_000_000])
        for range in fetched.file.contents.present.ranges {
            #expect(fetched.file.bytes(in: range) == Array(Self.source[range]))
        }
        #expect(fetched.file.contents.size == 3_000_000)
        #expect(origin.requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"one\"" })
        #expect(origin.connectionCount == 1)
    }

    @Test("a source that is needed whole after all is fetched whole", arguments: [3_000_000, 131_072, 5])
    func whole(count: Int) async throws {
        let source = Array(Self.source.prefix(count))
        let origin = try OriginServer { .ranges(of: source, to: $0) }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [0..<5, 0..<Int.max])
        #expect(fetched.failure == nil && fetched.isConsistent && fetched.holds(source))
        #expect(origin.requests.count == (count > 131_072 ? 2 : 1))
    }

    @Test(
        "a plain request is replaced by parts when the origin declares video or a reader wants bytes far ahead",
        arguments: ["video/mp4", "audio/mpeg", "application/octet-stream", nil],
    )
    func turning(type: String?) async throws {
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: Self.source, to: request, type: type)
            // Reading in order would take forever.
            if request.range == nil {
                answer.framing = .claimedLength(answer.body.count)
                answer.body = Array(answer.body.prefix(400_000))
                answer.ending = .hold
            }
            return answer
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a"), wanting: [0..<512, 2_500_000..<2_500_100])
        #expect(fetched.file.bytes(in: 2_500_000..<2_500_100) == Array(Self.source[2_500_000..<2_500_100]))
        #expect(fetched.file.contents.present.count < 2_500_000)
        #expect(origin.requests.map(\.range) == [nil, 2_500_000..<2_500_100])
    }

    @Test("an origin without ranges is read in order, at most a window ahead of its reader", arguments: [200, 416])
    func inOrder(status: Int) async throws {
        let origin = try OriginServer { request in
            status == 416 && request.range != nil ? .status(416) : .body(Self.source)
        }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.ranges.windowByteCount = 100_000
        let downloader = Downloader(settings: settings)
        let file = try MediaFile(byteLimit: 10_000_000)
        async let fetched = downloader.download(origin.url("/a.mp4"), into: file, timeLimit: .seconds(540))
        for offset in stride(from: 0, to: 2_000_000, by: 150_000) {
            file.want(offset..<offset + 1)
            _ = await file.contents { $0.has(offset..<offset + 1) || $0.ending != nil }
            try #require(file.contents.ending == nil)
            #expect(file.progress.byteCount <= offset + 1 + 100_000 + 16_384)
        }
        file.end(.cut(AttachmentFailure(.download, .cancelled, "The test has enough.")))
        #expect(await fetched.failure?.reason == .cancelled)
        #expect(Self.source.starts(with: file.prefix(file.progress.byteCount)))
        #expect(origin.requests.count == (status == 416 ? 2 : 1))
    }

    @Test("bytes behind the limit are not fetched")
    func beyondLimit() async throws {
        let origin = try OriginServer { _ in .body(Self.source) }
        defer { origin.stop() }
        var rule = RangeRule()
        rule.windowByteCount = 100_000
        let fetched = try await fetch(
            origin.url(),
            wanting: [0..<512, 2_000_000..<2_000_001],
            byteLimit: 1_000_000,
            rule: rule,
        )
        #expect(fetched.reason == .tooLarge)
        #expect(fetched.file.progress.byteCount < 200_000)
    }

    @Test("a paused download continues to the end once all bytes are wanted")
    func resumed() async throws {
        let origin = try OriginServer { _ in .body(Self.source) }
        defer { origin.stop() }
        var rule = RangeRule()
        rule.windowByteCount = 100_000
        let fetched = try await fetch(origin.url(), wanting: [0..<100_000, 0..<Int.max], rule: rule)
        #expect(fetched.failure == nil && fetched.holds(Self.source))
    }

    @Test("parts come from the redirect's target, and the address is checked each time")
    func redirected() async throws {
        let origin = try OriginServer { request in
            switch (request.path, request.range?.lowerBound) {
            case ("/a.mp4", _): .redirect(to: "/b")
            case (_, 1_000_000): .redirect(to: "http://10.0.0.1/")
            default: .ranges(of: Self.source, to: request)
            }
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [500_000..<500_010, 1_000_000..<1_000_010])
        #expect(fetched.reason == .refusedAddress && fetched.isConsistent)
        #expect(origin.requests.map(\.path) == ["/a.mp4", "/b", "/b", "/b"])
        #expect(fetched.file.bytes(in: 500_000..<500_010).count == 10)
    }

    @Test("a part that breaks off is requested once more, from the break on", arguments: [1, 2])
    func retried(failures: Int) async throws {
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: Self.source, to: request)
            guard let start = request.range?.lowerBound, start >= 1_000_000,
                start < 1_000_000 + failures * 1000
            else { return answer }
            let count = answer.body.count
            answer.body = Array(answer.body.prefix(1000))
            answer.framing = .claimedLength(count)
            answer.ending = .close
            return answer
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [1_000_000..<1_100_000])
        #expect(
            origin.requests.compactMap(\.range).dropFirst().prefix(2) == [1_000_000..<1_100_000, 1_001_000..<1_100_000]
        )
        #expect(fetched.reason == (failures == 1 ? .cancelled : .truncated))
        #expect(fetched.file.bytes(in: 1_000_000..<1_100_000).count == (failures == 1 ? 100_000 : 2000))
    }

    @Test("scattered reads cost at most a fixed number of requests")
    func limit() async throws {
        let origin = try OriginServer { .ranges(of: Self.source, to: $0) }
        defer { origin.stop() }
        var rule = RangeRule()
        (rule.leastByteCount, rule.tailByteCount, rule.requestLimit) = (10, 10, 6)
        let fetched = try await fetch(
            origin.url("/a.mp4"),
            wanting: (1..<20).map { $0 * 140_000..<$0 * 140_000 + 1 },
            rule: rule,
        )
        #expect(fetched.reason == .resourceLimit && fetched.isConsistent)
        #expect(origin.requests.count == 7)
    }

    @Test("a reader that wants more than the limit is refused before the fetch")
    func tooLarge() async throws {
        let origin = try OriginServer { .ranges(of: Self.source, to: $0) }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [0..<Int.max], byteLimit: 1_000_000)
        #expect(fetched.reason == .tooLarge)
        #expect(origin.requests.count == 1)
    }

    /// A change that an origin makes to its answer for the second part.
    struct Lie: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var reason: AttachmentFailure.Reason
        var tell: @Sendable (inout OriginAnswer) -> Void
    }

    @Test(
        "an origin that lies about a part is caught, and the bytes before are kept",
        arguments: [
            Lie(testDescription: "another part", reason: .originLied) {
                $0.setHeader("Content-Range", "bytes 0-99999/3000000")
            },
            Lie(testDescription: "no part", reason: .originLied) {
                $0.headers.removeAll { $0.name == "Content-Range" }
            },
            Lie(testDescription: "a malformed part", reason: .originLied) {
                $0.setHeader("Content-Range", "bytes 1000000-x/3000000")
            },
            Lie(testDescription: "a larger part", reason: .originLied) {
                $0.setHeader("Content-Range", "bytes 1000000-1200000/3000000")
            },
            Lie(testDescription: "an impossible size", reason: .originLied) {
                $0.setHeader("Content-Range", "bytes 1000000-1099999/999999999999999999")
            },
            Lie(testDescription: "a size beyond all numbers", reason: .originLied) {
                $0.setHeader("Content-Range", "bytes 1000000-1099999/99999999999999999999999")
            },
            Lie(testDescription: "another size", reason: .sourceChanged) {
                $0.setHeader("Content-Range", "bytes 1000000-1099999/3000001")
            },
            Lie(testDescription: "another entity tag", reason: .sourceChanged) { $0.setHeader("ETag", "\"two\"") },
            Lie(testDescription: "a longer body", reason: .originLied) { $0.body += [1, 2, 3] },
            Lie(testDescription: "a longer body without a length", reason: .originLied) {
                $0.body += [1, 2, 3]
                $0.framing = .chunked
            },
            Lie(testDescription: "a body shorter than the part", reason: .originLied) { $0.body.removeLast(10) },
            Lie(testDescription: "all of it", reason: .sourceChanged) { answer in
                answer.status = 200
                answer.body = Self.source
            },
            Lie(testDescription: "an encoded part", reason: .originLied) { $0.setHeader("Content-Encoding", "gzip") },
            Lie(testDescription: "no such part", reason: .sourceChanged) { $0 = .status(416) },
            Lie(testDescription: "not there", reason: .httpStatus) { $0 = .status(404) },
            Lie(testDescription: "broken", reason: .httpStatus) { $0 = .status(503) },
            Lie(testDescription: "nothing", reason: .originLied) { $0.body = [] },
        ],
    )
    func liars(lie: Lie) async throws {
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: Self.source, to: request)
            if request.range?.lowerBound ?? 0 >= 1_000_000 { lie.tell(&answer) }
            return answer
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [0..<512, 1_000_000..<1_100_000])
        #expect(fetched.reason == lie.reason && fetched.isConsistent)
        #expect(fetched.bytes == Array(Self.source.prefix(131_072)))
        // Only a part that the origin failed to serve is requested once more.
        #expect(origin.requests.count == (lie.testDescription == "broken" ? 3 : 2))
    }

    @Test(
        "an origin that counts its first part wrongly is asked for the whole source, once",
        arguments: ["bytes 0-3000000/3000000", "0-131071/3000000", "bytes=0-131071/3000000", nil]
    )
    func untidyFirstPart(range: String?) async throws {
        let origin = try OriginServer { request in
            guard request.range != nil else { return .body(Self.source, type: "video/mp4") }
            var answer = OriginAnswer.ranges(of: Self.source, to: request)
            answer.headers.removeAll { $0.name == "Content-Range" }
            if let range {
                answer.setHeader("Content-Range", range)
            } else {
                answer.setHeader("Content-Type", "multipart/byteranges")
            }
            return answer
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let fetched = try await downloader.fetch(origin.url("/a.mp4"), byteLimit: 4_000_000, wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(Self.source))
        #expect(origin.requests.map { $0.headers["range"] != nil } == [true, false])
    }

    @Test(
        "impossible numbers end the download, not the process",
        arguments: [
            "bytes 0-131071/999999999999999999", "bytes 0-131071/9223372036854775807",
            "bytes 0-9223372036854775807/9223372036854775807", "bytes 0-18446744073709551615/*",
            "bytes -9223372036854775808-131071/3000000", "bytes 0-131071/-1",
            "bytes 99999999999999999999-999999999999999999999/3000000",
        ],
    )
    func numbers(range: String) async throws {
        let origin = try OriginServer { request in
            var answer = OriginAnswer.ranges(of: Self.source, to: request)
            answer.setHeader("Content-Range", range)
            return answer
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [0..<512, 2_000_000..<2_000_001])
        #expect([nil, .originLied, .cancelled].contains(fetched.reason) && fetched.isConsistent)
    }

    @Test("two versions of a source that changes between parts are not mixed")
    func changed() async throws {
        let origin = try OriginServer { request in
            let isFirst = request.range?.lowerBound == 0
            return .ranges(of: Self.source, to: request, tag: isFirst ? "\"one\"" : "\"two\"")
        }
        defer { origin.stop() }
        let fetched = try await fetch(origin.url("/a.mp4"), wanting: [0..<512, 1_000_000..<1_100_000])
        #expect(fetched.reason == .sourceChanged)
        #expect(fetched.file.contents.present.ranges == [0..<131_072])
    }
}

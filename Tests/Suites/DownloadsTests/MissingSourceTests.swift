import Base
import Media
import Support
import Synchronization
import Testing

@testable import Downloads

/// Tests of a rule's `awaitMissing`.
@Suite("Sources that are not there yet", .timeLimit(.minutes(10)))
struct MissingSourceTests {
    /// Returns a downloader with a rule that awaits sources of `origin`.
    private func downloader(_ origin: OriginServer, awaiting time: Duration? = .seconds(300)) throws -> Downloader {
        let rule = AccessRule(name: "cameras", match: .pattern(origin.url("/*")), awaitMissing: time)
        return Downloader(settings: try .with(rule, opening: "127.0.0.1"))
    }

    /// The events of a missing source.
    private final class Reasons: Sendable {
        private let reasons = Mutex<[AttachmentFailure.Reason]>([])
        var all: [AttachmentFailure.Reason] { reasons.withLock(\.self) }

        func receive(_ event: ProgressEvent) {
            if case .missing(let failure) = event { reasons.withLock { $0.append(failure.reason) } }
        }
    }

    @Test("are asked for again until they are there", arguments: ["404", "410", "cut off", "cut off and rewritten"])
    func awaited(answer: String) async throws {
        let body = pattern(50_000)
        let count = Atomic(0)
        let origin = try OriginServer { _ in
            guard count.wrappingAdd(1, ordering: .relaxed).oldValue < 2 else { return .body(body) }
            return switch answer {
            case "404": .status(404)
            case "410": .status(410)
            case "cut off": .claiming(length: 50_000, body: Array(body[..<20_000]))
            default: .claiming(length: 30_000, body: Array(body[..<20_000]))
            }
        }
        defer { origin.stop() }
        let reasons = Reasons()
        let file = try MediaFile(byteLimit: 60_000)
        let fetched = try await downloader(origin)
            .download(origin.url("/a.jpg"), into: file, timeLimit: .seconds(300), onEvent: reasons.receive)
        #expect(fetched.failure == nil && fetched.holds(body) && fetched.isConsistent)
        #expect(reasons.all == Array(repeating: answer.hasPrefix("cut") ? .truncated : .httpStatus, count: 2))
        // A 404 that is not the last word says nothing about the source, such as for how long it may be kept.
        #expect(fetched.heads.allSatisfy { $0.status == 200 })
    }

    @Test("are failures at once without a rule, or when the time of the rule is over", arguments: [nil, Duration.zero])
    func refused(time: Duration?) async throws {
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        let fetched = try await downloader(origin, awaiting: time).fetch(origin.url("/a.jpg"))
        #expect(fetched.reason == .httpStatus && origin.requests.count == 1)
    }

    @Test("are empty bodies too, after the repeats that every source has")
    func empty() async throws {
        let count = Atomic(0)
        let origin = try OriginServer { _ in
            count.wrappingAdd(1, ordering: .relaxed).oldValue < 5 ? .empty : .body([1, 2, 3])
        }
        defer { origin.stop() }
        #expect(try await downloader(origin).fetch(origin.url("/a.jpg")).bytes == [1, 2, 3])
        #expect(origin.requests.count == 6)
    }

    @Test("end with their file, as soon as nobody waits")
    func abandoned() async throws {
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        let file = try MediaFile(byteLimit: 1_000)
        let late = AttachmentFailure(.download, .timedOut, "The test says so.")
        _ = try await downloader(origin).download(origin.url("/a.jpg"), into: file, timeLimit: .seconds(300)) { event in
            if case .missing = event { file.end(.cut(late)) }
        }
        #expect(file.contents.ending == .cut(late))
    }

    @Test("other failures are not awaited", arguments: [403, 500])
    func others(status: Int) async throws {
        let origin = try OriginServer { _ in .status(status) }
        defer { origin.stop() }
        let reasons = Reasons()
        let file = try MediaFile(byteLimit: 1_000)
        let fetched = try await downloader(origin)
            .download(origin.url("/a.jpg"), into: file, timeLimit: .seconds(300), onEvent: reasons.receive)
        #expect(fetched.reason == .httpStatus && reasons.all.isEmpty)
    }
}

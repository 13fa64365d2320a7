import Base
import Downloads
import HTTPClient
import Media
import Support
import Synchronization
import Testing

@Suite("Origins that are overloaded or fail", .timeLimit(.minutes(10)))
struct OriginCareTests {
    private let events = RecordedEvents<OriginEvent>()

    private func downloader(_ change: (inout OriginRule) -> Void = { _ in }) throws -> Downloader {
        var settings = try DownloadSettings.opening("127.0.0.0/8")
        var rule = OriginRule()
        // On a slow machine any origin may seem slow.
        rule.grace = .seconds(1000)
        change(&rule)
        settings.origins = rule
        return Downloader(settings: settings, recorder: events)
    }

    /// Starts an origin that answers by the number of the request, from 1 on.
    private func origin(_ answer: @escaping @Sendable (Int) -> OriginAnswer) throws -> OriginServer {
        let count = Mutex(0)
        return try OriginServer { _ in
            answer(
                count.withLock { count in
                    count += 1
                    return count
                }
            )
        }
    }

    private static func busy(_ status: Int, _ retryAfter: String) -> OriginAnswer {
        var answer = OriginAnswer.status(status)
        answer.headers = [("Retry-After", retryAfter)]
        return answer
    }

    @Test("a temporary failure is repaired by one retry", arguments: [429, 500, 502, 503, 504])
    func retried(status: Int) async throws {
        let origin = try origin { $0 == 1 ? .status(status) : .body(pattern(1000)) }
        defer { origin.stop() }
        let fetched = try await downloader().fetch(origin.url())
        #expect(fetched.failure == nil && fetched.holds(pattern(1000)))
        #expect(origin.requests.count == 2 && events.count(.retried) == 1)
    }

    @Test("a reset before the first byte is repaired by a retry, too")
    func reset() async throws {
        var reset = OriginAnswer.reset(after: 0, of: [])
        reset.speaks = false
        let origin = try origin { [reset] in $0 == 1 ? reset : .body([1]) }
        defer { origin.stop() }
        #expect(try await downloader().fetch(origin.url()).failure == nil)
    }

    @Test(
        "there is one retry at most, and none for a permanent failure",
        arguments: [(503, 2), (403, 1), (404, 1), (410, 1)]
    )
    func onlyOnce(status: Int, requests: Int) async throws {
        let origin = try OriginServer { _ in .status(status) }
        defer { origin.stop() }
        #expect(try await downloader().fetch(origin.url()).reason == .httpStatus)
        #expect(origin.requests.count == requests)
    }

    @Test("retries are limited to a tenth of the requests")
    func budget() async throws {
        let origin = try OriginServer { _ in .status(429) }
        defer { origin.stop() }
        let downloader = try downloader()
        for _ in 0..<40 { _ = try await downloader.fetch(origin.url()) }
        #expect(events.count(.retried) >= 4 && events.count(.retried) <= 6)
        #expect(origin.requests.count == 40 + events.count(.retried))
    }

    @Test(
        "an origin that asks for a pause isn't asked, and a request without the time to wait fails at once",
        arguments: [(429, "3000"), (503, "3000"), (429, HTTPDates.text(in: 3000))]
    )
    func leftAlone(status: Int, retryAfter: String) async throws {
        let origin = try origin { $0 == 1 ? Self.busy(status, retryAfter) : .body([1]) }
        defer { origin.stop() }
        let downloader = try downloader { ($0.longestPause, $0.testPause) = (.seconds(3600), .seconds(3600)) }
        #expect(try await downloader.fetch(origin.url()).reason == .httpStatus)
        let refused = try await downloader.fetch(origin.url())
        #expect(refused.reason == .originUnavailable && refused.isConsistent)
        #expect(
            refused.failure?.message.wholeMatch(of: /127.0.0.1 asked for a pause, which lasts another \d+ s./)
                != nil
        )
        #expect(refused.failure?.code == .attachmentInvalidURL)
        #expect(origin.requests.count == 1 && events.count(.refusedPaused) == 1 && events.count(.retried) == 0)
        // Other origins aren't affected.
        let other = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { other.stop() }
        let fetched = try await downloader.fetch(other.url())
        #expect(fetched.failure == nil)
    }

    @Test("one 429 that asks for a minute costs the others of a campaign a second, and none of them its picture")
    func campaign() async throws {
        let origin = try origin { $0 == 20 ? Self.busy(429, "60") : .body([1]) }
        defer { origin.stop() }
        let downloader = try downloader()
        let failures = try await withThrowingTaskGroup(of: AttachmentFailure.Reason?.self) { group in
            for number in 0..<200 {
                group.addTask { try await downloader.fetch(origin.url("/\(number)")).reason }
            }
            return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(failures <= 1)
    }

    @Test("a request with enough time waits as long as the origin asked for")
    func waits() async throws {
        let origin = try origin { $0 == 1 ? Self.busy(503, "1") : .body([1]) }
        defer { origin.stop() }
        let start = SystemTime().now
        let fetched = try await downloader().fetch(origin.url())
        #expect(fetched.failure == nil && origin.requests.count == 2)
        #expect(SystemTime().now - start >= .seconds(1))
    }

    @Test("an unreachable origin is paused after five requests, and asked again once it is back")
    func recovers() async throws {
        let place = try OriginServer { _ in .empty }
        place.stop()
        let downloader = try downloader { rule in
            rule.breaker.firstPause = .milliseconds(400)
            rule.breaker.longestPause = .milliseconds(400)
        }
        for _ in 0..<5 { #expect(try await downloader.fetch(place.url()).reason == .connectionFailed) }
        let refused = try await downloader.fetch(place.url())
        #expect(refused.reason == .originUnavailable || events.count(.opened(host: "127.0.0.1")) == 1)
        #expect(events.count(.opened(host: "127.0.0.1")) == 1 && downloader.originUsage.refused == 1)

        let works = Mutex(false)
        let origin = try OriginServer { _ in works.withLock { $0 } ? .body([1]) : .status(500) }
        defer { origin.stop() }
        try await eventually {
            _ = try await downloader.fetch(origin.url())
            return downloader.originUsage.refused == 2
        }
        let count = origin.requests.count
        #expect(count >= 20)
        works.withLock { $0 = true }
        try await eventually { try await downloader.fetch(origin.url()).failure == nil }
        for _ in 0..<10 { #expect(try await downloader.fetch(origin.url()).failure == nil) }
        #expect(origin.requests.count == count + 11)
    }

    @Test("there are at most as many connections as permits, however many requests wait")
    func limit() async throws {
        let now = Mutex(0)
        let most = Mutex(0)
        let origin = try OriginServer { _ in
            let count = now.withLock { now in
                now += 1
                return now
            }
            most.withLock { $0 = max($0, count) }
            SystemTime.block(.milliseconds(5))
            now.withLock { $0 -= 1 }
            return .body([1])
        }
        defer { origin.stop() }
        let downloader = try downloader { rule in
            rule.firstLimit = 3
            rule.mostLimit = 4
        }
        try await withThrowingTaskGroup(of: Fetched.self) { group in
            for _ in 0..<60 { group.addTask { try await downloader.fetch(origin.url()) } }
            for try await fetched in group { #expect(fetched.failure == nil) }
        }
        #expect(most.withLock { $0 } <= 4)
        #expect(
            events.count(.waited) > 0 && downloader.originUsage.inFlight == 0 && downloader.originUsage.waiting == 0
        )
    }

    @Test("a source whose reader lags behind holds no permit")
    func paused() async throws {
        let origin = try OriginServer { request in
            request.path == "/long" ? .body([UInt8](repeating: 7, count: 30_000_000)) : .body([1])
        }
        defer { origin.stop() }
        let downloader = try downloader { rule in
            rule.firstLimit = 1
            rule.leastLimit = 1
            rule.mostLimit = 1
        }
        let file = try MediaFile(byteLimit: 100_000_000)
        file.want(0..<1000)
        async let long = downloader.download(origin.url("/long"), into: file, timeLimit: .seconds(540))
        #expect(try await downloader.fetch(origin.url("/short")).failure == nil)
        #expect(file.contents.ending == nil)
        file.want(0..<Int.max)
        #expect(await long.failure == nil)
    }

    @Test("slow sources are fetched side by side, and each that is answered makes room for another")
    func slow() async throws {
        let origin = try OriginServer { _ in .stall(after: 10, of: pattern(1000)) }
        defer { origin.stop() }
        let downloader = try downloader()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<25 { group.addTask { _ = try? await downloader.fetch(origin.url()) } }
            await origin.arrival(of: 25)
            group.cancelAll()
        }
        #expect(downloader.originUsage.inFlight == 0)
    }

    @Test("sources that hang are ended for one that waits, and their bytes are kept")
    func makesWay() async throws {
        let origin = try OriginServer { _ in .stall(after: 500, of: pattern(100_000)) }
        defer { origin.stop() }
        let honest = try OriginServer(address: "127.0.1.1") { _ in .body([1]) }
        defer { honest.stop() }
        let downloader = try downloader { rule in
            rule.globalLimit = 4
            rule.grace = .milliseconds(50)
        }
        try await withThrowingTaskGroup(of: Fetched?.self) { group in
            for _ in 0..<8 { group.addTask { try? await downloader.fetch(origin.url()) } }
            await origin.arrival(of: 4)
            let fetched = try? await downloader.fetch(honest.url())
            #expect(fetched?.failure == nil && fetched?.holds([1]) == true)
            var cut = 0
            for try await case let fetched? in group {
                #expect(fetched.isConsistent && fetched.holdsBeginning(of: pattern(100_000)))
                if fetched.failure?.message.contains("too slowly to finish in time") == true { cut += 1 }
                group.cancelAll()
            }
            #expect(cut > 0 && events.count(.preemptedSlow) > 0)
        }
        #expect(downloader.originUsage.inFlight == 0)
    }

    @Test("an origin isn't blamed for requests that had too little time")
    func hurry() async throws {
        let origin = try OriginServer { _ in .silence }
        defer { origin.stop() }
        let downloader = try downloader()
        for _ in 0..<30 { _ = try await downloader.fetch(origin.url(), timeLimit: .milliseconds(5)) }
        #expect(events.count(.opened(host: "127.0.0.1")) == 0)
    }
}

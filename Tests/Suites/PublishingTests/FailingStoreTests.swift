import Base
import HTTPClient
import Media
import Storage
import Support
import Synchronization
import Testing

@Suite("A store that fails", .timeLimit(.minutes(10)))
struct FailingStoreTests {
    private let events = RecordedEvents<PublishEvent>()

    private func bucket(
        at endpoint: String,
        _ rule: CircuitBreaker.Rule = CircuitBreaker.Rule(),
        stall: Duration = .seconds(5),
    ) throws -> Bucket {
        var settings = PublishingSettings(
            address: try BucketAddress("s3://media", endpoint: endpoint),
            credentials: .fixed(BucketCredentials(accessKeyID: "key", secretAccessKey: Secret("secret"))),
        )
        settings.breaker = rule
        settings.requests.stall = StallRule(window: stall)
        return Bucket(settings, keep: .seconds(3600), recorder: events)
    }

    private func publish(_ bucket: Bucket, _ name: String = "a.jpg", within time: Duration = .seconds(30)) async
        -> AttachmentFailure?
    {
        do throws(AttachmentFailure) {
            guard let file = try? PublishedFile([1, 2, 3], name: name) else { return nil }
            try await bucket.publish(file, until: .in(time))
            return nil
        } catch {
            return error
        }
    }

    @Test("a temporary failure is retried with the same bytes", arguments: [500, 503, 429])
    func retried(status: Int) async throws {
        let count = Mutex(0)
        let store = try OriginServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 3 ? .status(status, body: Array("<Error><Code>SlowDown</Code></Error>".utf8)) : .empty
        }
        defer { store.stop() }
        let failure = await publish(try bucket(at: store.url("")))
        #expect(failure == nil)
        #expect(store.requests.map(\.body) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        #expect(store.requests.allSatisfy { $0.method == "PUT" && $0.path == "/media/a.jpg" })
        #expect(events.count { $0 == .retried } == 2)
    }

    @Test("a connection that breaks off is retried, and one that was kept too long costs nothing")
    func reset() async throws {
        let count = Mutex(0)
        let store = try OriginServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var answer = OriginAnswer.empty
            if number == 1 { answer = .reset(after: 0, of: []) }
            if number == 2 { answer.ending = .close }
            return answer
        }
        defer { store.stop() }
        let bucket = try bucket(at: store.url(""))
        #expect(await publish(bucket, "a.jpg") == nil)
        #expect(await publish(bucket, "b.jpg") == nil)
    }

    @Test("a permanent failure is not retried", arguments: [301, 400, 403, 404, 501])
    func refused(status: Int) async throws {
        let store = try OriginServer { _ in .status(status) }
        defer { store.stop() }
        let failure = await publish(try bucket(at: store.url("")))
        #expect(failure?.reason == .publishFailed && failure?.message.contains("HTTP status \(status)") == true)
        #expect(store.requests.count == 1)
    }

    @Test("a store's own words are never shown")
    func words() async throws {
        let body = "<Error><Code>Visit http://evil.example</Code><Message>now</Message></Error>"
        let store = try OriginServer { _ in .status(403, body: Array(body.utf8)) }
        defer { store.stop() }
        let failure = await publish(try bucket(at: store.url("")))
        #expect(failure?.message.contains("evil") == false)
    }

    @Test("a store that hangs is given up at the deadline")
    func hangs() async throws {
        let store = try OriginServer { _ in .silence }
        defer { store.stop() }
        let bucket = try bucket(at: store.url(""))
        let cost = bucket.cost
        let failure = await publish(bucket, within: .seconds(2))
        #expect(failure?.reason == .publishFailed && failure?.message.contains("didn't answer in time") == true)
        // That took longer than the 200 ms that are assumed at first, so the next call gets more time.
        #expect(bucket.cost > cost)
    }

    @Test("a store that keeps failing is paused, and used again once it works", arguments: [403, 503])
    func leftAlone(status: Int) async throws {
        let works = Mutex(false)
        let store = try OriginServer { _ in works.withLock { $0 } ? .empty : .status(status) }
        defer { store.stop() }
        var rule = CircuitBreaker.Rule()
        rule.firstPause = .milliseconds(300)
        rule.longestPause = .milliseconds(300)
        let bucket = try bucket(at: store.url(""), rule)
        try await eventually {
            let failure = await publish(bucket)
            #expect(failure?.reason == .publishFailed)
            return failure?.message.contains("again and again") == true
        }
        #expect(bucket.refusal?.message.contains("HTTP status \(status)") ?? true)
        works.withLock { $0 = true }
        try await eventually { await publish(bucket, "b.jpg") == nil }
        for name in ["c.jpg", "d.jpg", "e.jpg"] { #expect(await publish(bucket, name) == nil) }
        #expect(bucket.refusal == nil)
    }

    @Test("redirects are not followed, wherever they lead")
    func redirect() async throws {
        let other = try OriginServer { _ in .empty }
        let store = try OriginServer { _ in .redirect(to: other.url("/media/a.jpg"), status: 307) }
        defer { store.stop() }
        defer { other.stop() }
        #expect(await publish(try bucket(at: store.url("")))?.reason == .publishFailed)
        #expect(other.requests.isEmpty)
    }
}

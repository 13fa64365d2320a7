import Base
import Media
import Support
import Synchronization
import Testing

@testable import HTTPClient

@Suite("The threads of all sites", .timeLimit(.minutes(10)))
struct TransferLoopsTests {
    private func loops(_ limits: TransferLoops.Limits = .init(), time: any TimeSource = SystemTime()) throws
        -> TransferLoops
    {
        var settings = HTTPSettings()
        settings.addresses.allowed = [try CIDR("127.0.0.0/8")]
        settings.stall.window = .seconds(60)
        settings.connectTimeout = .seconds(540)
        return TransferLoops(settings: settings, limits: limits, time: time) { _ in }
    }

    private func request(_ url: String) throws -> HTTPRequest {
        HTTPRequest(url: try DownloadURL(url))
    }

    /// A receiver that takes everything.
    private final class Sink: AnswerReceiver {
        func reads(status: Int) -> Bool { true }
        func receive(_ head: AnswerHead) -> Reception { .taken }
        func receive(_ bytes: UnsafeRawBufferPointer) -> Reception { .taken }
    }

    @Test("however many requests one site leaves unanswered, another site's have a place (SECURITY N14)")
    func places() async throws {
        let silent = try OriginServer(address: "127.0.1.1") { _ in .silence }
        let honest = try OriginServer(address: "127.0.2.1") { _ in .body([1]) }
        defer {
            silent.stop()
            honest.stop()
        }
        let loops = try loops(.init(all: 4, site: 3))
        let requests = try (0..<8).map { try request(silent.url("/\($0)")) }
        let tasks = requests.map { request in
            Task { _ = await loops.run(request, Sink(), until: SystemTime().now + .seconds(60)) }
        }
        await silent.arrival(of: 3)
        let result = await loops.run(try request(honest.url()), Sink(), until: SystemTime().now + .seconds(60))
        #expect(result.status == 200 && result.failure == nil)
        #expect(silent.requests.count == 3)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    @Test("a request that waits for a place gives way, too, and gives back its permit")
    func givingWay() async throws {
        let silent = try OriginServer(address: "127.0.1.1") { _ in .silence }
        defer { silent.stop() }
        let loops = try loops(.init(all: 4, site: 1))
        let rule = OriginRule()
        let limiter = OriginLimiter(rule, time: SystemTime(), recorder: NoRecorder<OriginEvent>())
        let first = try request(silent.url("/1"))
        let holder = Task { _ = await loops.run(first, Sink(), until: SystemTime().now + .seconds(60)) }
        await silent.arrival(of: 1)
        var second = try request(silent.url("/2"))
        second.permit = try await limiter.enter(rule.origin(of: second.url), until: SystemTime().now + .seconds(60))
        async let result = loops.run(second, Sink(), until: SystemTime().now + .seconds(60))
        limiter.drain(within: .milliseconds(10))
        #expect(await result.failure?.reason == .workerStopped)
        #expect(await result.wasPreempted)
        holder.cancel()
        await holder.value
    }

    @Test("a thread without requests ends after half a minute, though no other request comes")
    func idle() async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        let time = TestTime()
        let loops = try loops(time: time)
        let result = await loops.run(try request(origin.url()), Sink(), until: SystemTime().now + .seconds(60))
        #expect(result.status == 200)
        #expect(loops.counts.idle == 1 && loops.counts.working == 0)
        await time.sleeper(until: time.start + .seconds(30))
        time.advance(by: .seconds(30))
        try await eventually { loops.counts.idle == 0 }
    }
}

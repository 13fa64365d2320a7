import Base
import Foundation
import JobsSQLite
import Media
import Processing
import Support
import Synchronization
import Testing

@testable import Jobs

@Suite("A worker that is told to stop, and its neighbor", .timeLimit(.minutes(10)))
struct DrainTests {
    private static let drainTime = Duration.seconds(5)

    /// Enqueues jobs that are due in 100 s.
    private static func fill(_ queue: SQLiteJobQueue, _ count: Int) async throws {
        for number in 0..<count {
            let job = Job(id: "\(number)", timeLimit: .seconds(100), content: [])
            #expect(try await queue.enqueue(job) == .accepted)
        }
    }

    @Test("the page of the queue says how long before its deadline a job may lose its worker")
    func rescue() throws {
        let page = try String(contentsOf: SharedMedia.packageRoot.appending(path: "docs/queue.md"), encoding: .utf8)
        let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let match = try #require(words.firstMatch(of: /as long as at least ([0-9]+) s are left until the deadline/))
        let stated = Duration.seconds(try #require(Int(match.1)))
        // The lease ends, and another worker looks.
        let needed = QueueLimits().leaseTime + .milliseconds(WorkerService.reclaimPause.upperBound)
        #expect(needed < stated && stated - needed < .seconds(1))
    }

    @Test("of 24 jobs that take 20 s, none is answered below what its time allowed: all but the one that ends go back")
    func terminated() async throws {
        let time = TestTime()
        let decoders = ScriptedDecoders(2, taking: [.seconds(8), .seconds(20)], time)
        let worker = try await RunningWorker(
            limits: WorkerLimits(slots: 64, drainTime: Self.drainTime),
            time: time,
            handler: ScriptedHandler { await decoders.answer($0) },
            before: { try await Self.fill($0, 24) },
        )
        try await worker.advance(by: .zero) { try await worker.queue.status().running == 24 }
        await time.sleeper(until: time.start + .seconds(8))
        await time.sleeper(until: time.start + .seconds(20))

        time.advance(by: .seconds(6))
        worker.tellToStop()
        try await worker.advance(by: .zero) { try await worker.queue.status().waiting == 22 }
        time.advance(by: .seconds(2))
        #expect(try await worker.answer(to: decoders.begun[0])?.status == .ok)
        try await worker.advance(by: .milliseconds(500)) { try await worker.queue.status().running == 0 }
        // The clock moves on, in steps, while the queue takes the jobs back.
        #expect(time.now <= time.start + .seconds(6) + Self.drainTime + .seconds(2))
        try await worker.hasStopped()

        #expect(decoders.begun.count == 2)
        let left = try await worker.queue.lease(99, waiting: .zero)
        #expect(left.count == 23 && left.contains { $0.job.id == decoders.begun[1] })
        #expect(left.allSatisfy { $0.starts == 0 })
        let answers = worker.events.filter { if case .answered = $0 { true } else { false } }
        #expect(answers.count == 1)
        #expect(worker.events.contains(.gaveBack(22)) && worker.events.contains(.gaveBack(1)))
    }

    @Test("a job that is due shortly after the drain is answered with what there is by its deadline")
    func dueSoon() async throws {
        let (begun, end) = (Signal(), Signal())
        let worker = try await RunningWorker(
            limits: WorkerLimits(slots: 4, drainTime: Self.drainTime),
            handler: ScriptedHandler { _ in
                begun.send()
                await end.hang()
                return JobReply(.ok, body: [])
            }
        )
        try await worker.enqueue("hanging", within: .seconds(6))
        await begun.wait()
        worker.tellToStop()
        // The time of its answer is after the drain.
        let due = worker.time.start + .seconds(6) - .milliseconds(25)
        await worker.time.sleeper(until: worker.time.start + Self.drainTime)
        worker.time.advance(by: Self.drainTime)
        await worker.time.sleeper(until: due)
        worker.time.advance(by: due - worker.time.now)
        try await worker.hasStopped()
        #expect(try await worker.answer(to: "hanging")?.status == .original)
        end.send()
    }

    @Test("a worker takes what its decoders can begin, and an idle neighbor begins its share")
    func neighbor() async throws {
        let time = TestTime()
        let decoders = [0, 1].map { _ in ScriptedDecoders(2, taking: [.seconds(20)], time) }
        func worker(_ number: Int, _ queue: SQLiteJobQueue?) async throws -> RunningWorker {
            try await RunningWorker(
                limits: WorkerLimits(slots: 64, drainTime: Self.drainTime, decoders: 2),
                time: time,
                handler: ScriptedHandler { await decoders[number].answer($0) },
                waitingForDecoders: { decoders[number].waiting },
                before: { if queue == nil { try await Self.fill($0, 24) } },
                queue: { queue ?? $0 },
            )
        }
        let first = try await worker(0, nil)
        try await first.advance(by: .zero) { decoders[0].begun.count == 2 && decoders[0].waiting >= 2 }
        #expect(try await first.queue.status().running <= 8)
        let second = try await worker(1, first.queue)
        try await first.advance(by: .zero) { decoders[1].begun.count == 2 && decoders[1].waiting >= 2 }
        #expect(try await first.queue.status().waiting > 0)
        // Whenever a decoder is free, a job is there for it.
        try await first.advance(by: .milliseconds(500)) { decoders.allSatisfy { $0.begun.count >= 8 } }
        second.tellToStop()
        first.tellToStop()
        try await first.advance(by: .milliseconds(500)) { try await first.queue.status().running == 0 }
        try await second.stop()
        try await first.stop()
    }
}

/// Decoders that take jobs as long as they are told.
private final class ScriptedDecoders: Sendable {
    private let free: AsyncSemaphore
    private let durations: [Duration]
    private let time: TestTime
    private let ids = Mutex<[String]>([])
    private let queue = Atomic(0)

    /// Creates decoders that take these times, one after the other, and the last one for all further jobs.
    init(_ count: Int, taking durations: [Duration], _ time: TestTime) {
        free = AsyncSemaphore(permits: count)
        (self.durations, self.time) = (durations, time)
    }

    /// The jobs that were begun, in order.
    var begun: [String] { ids.withLock(\.self) }
    /// The number of jobs that wait.
    var waiting: Int { queue.load(ordering: .relaxed) }

    func answer(_ job: LeasedJob) async -> JobReply {
        queue.wrappingAdd(1, ordering: .relaxed)
        let isFree: Bool = (try? await free.acquire()) != nil
        queue.wrappingSubtract(1, ordering: .relaxed)
        guard isFree else { return JobReply(.original, body: []) }
        defer { free.release() }
        let number = ids.withLock { ids in
            ids.append(job.job.id)
            return ids.count - 1
        }
        WorkSlot.current?.decoderBegan()
        try? await time.sleep(for: durations[min(number, durations.count - 1)])
        return JobReply(.ok, body: [])
    }
}

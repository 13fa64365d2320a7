import Base
import JobsSQLite
import Media
import Processing
import Support
import Synchronization
import Testing

@testable import Jobs

@Suite("A worker", .timeLimit(.minutes(10)))
struct WorkerServiceTests {
    private static let margin = Duration.milliseconds(50)

    @Test("jobs run until their deadline less the margin, and are answered once")
    func works() async throws {
        let handler = ScriptedHandler()
        let worker = try await RunningWorker(handler: handler)
        try await worker.enqueue("job", within: .seconds(5))
        #expect(try await worker.answer(to: "job") == JobReply(.ok, body: [UInt8]("job".utf8)))
        try await worker.stop()
        #expect(handler.ids == ["job"])
        #expect(handler.deadlines == [worker.time.start + .seconds(5) - Self.margin])
        #expect(worker.events == [.answered(JobName(id: "job"), .ok, after: .zero, margin: .seconds(5))])
    }

    @Test("jobs run until their deadline less the margin and the lateness of the clock's timers")
    func lateTimers() async throws {
        let (handler, late) = (ScriptedHandler(), Duration.milliseconds(300))
        let worker = try await RunningWorker(time: TestTime(lateness: late), handler: handler)
        try await worker.enqueue("job", within: .seconds(5))
        #expect(try await worker.answer(to: "job")?.status == .ok)
        try await worker.stop()
        #expect(handler.deadlines == [worker.time.start + .seconds(5) - Self.margin - late])
    }

    @Test("a job that waits for a slot is answered when its time is up, even if the slot stays taken")
    func answersOnTime() async throws {
        let (begun, end) = (Signal(), Signal())
        let worker = try await RunningWorker(
            slots: 1,
            handler: ScriptedHandler { job in
                begun.send()
                await end.hang()
                return JobReply(.ok, body: [])
            }
        )
        try await worker.enqueue("hanging", within: .seconds(10))
        await begun.wait()
        try await worker.enqueue("waiting", within: .seconds(5))
        await worker.time.sleeper(until: worker.time.start + .seconds(5) - Self.margin)
        worker.time.advance(by: .seconds(5) - Self.margin)
        #expect(try await worker.answer(to: "waiting") == JobReply(.expired, body: [1, 2, 3]))

        // Work that hangs is answered too.
        await worker.time.sleeper(until: worker.time.start + .seconds(10) - Self.margin / 2)
        worker.time.advance(by: .seconds(5) + Self.margin / 2)
        #expect(try await worker.answer(to: "hanging") == JobReply(.original, body: [1, 2, 3]))
        end.send()
        try await worker.stop()
        let late = Self.margin / 2
        #expect(
            worker.events == [
                .answered(JobName(id: "waiting"), .expired, after: .seconds(5) - Self.margin, margin: Self.margin),
                .answered(JobName(id: "hanging"), .original, after: .seconds(10) - late, margin: late),
            ]
        )
    }

    @Test("an answer is repeated while the queue can't be reached")
    func insists() async throws {
        let worker = try await RunningWorker(queue: { UnreliableQueue($0, failures: 3) })
        try await worker.enqueue("job")
        try await worker.advance(by: .milliseconds(100)) {
            try await worker.queue.state(of: JobName(id: "job"), waiting: .zero) != .running
                && worker.events.contains { if case .answered = $0 { true } else { false } }
        }
        #expect(try await worker.answer(to: "job")?.status == .ok)
        try await worker.stop()
        #expect(worker.events.filter { if case .queueFailed = $0 { true } else { false } }.count == 3)
    }

    @Test("an answer that was taken before its acknowledgement was lost counts as given")
    func unacknowledged() async throws {
        let worker = try await RunningWorker(queue: { UnreliableQueue($0, lostReplies: 2) })
        try await worker.enqueue("job")
        try await worker.advance(by: .milliseconds(400)) {
            worker.events.contains { if case .answered = $0 { true } else { false } }
        }
        #expect(try await worker.answer(to: "job")?.status == .ok)
        try await worker.stop()
        #expect(!worker.events.contains(.stale(JobName(id: "job"))))
        #expect(!worker.events.contains(.lost(1)))
    }

    @Test("jobs that cannot begin soon stay in the queue for other workers, unless they need an answer soon")
    func leavesOthers() async throws {
        let end = Signal()
        let worker = try await RunningWorker(
            slots: 1,
            handler: ScriptedHandler { _ in
                await end.hang()
                return JobReply(.ok, body: [])
            },
            before: { queue async throws in
                for number in 0..<40 {
                    let job = Job(id: "\(number)", timeLimit: .seconds(600), content: [])
                    #expect(try await queue.enqueue(job) == .accepted)
                }
            }
        )
        try await worker.advance(by: .zero) { try await worker.queue.status().running == 2 }
        try await worker.enqueue("urgent", within: .seconds(4))
        try await worker.advance(by: .milliseconds(100)) {
            try await worker.queue.state(of: JobName(id: "urgent"), waiting: .zero) == .running
        }
        #expect(try await worker.queue.status().waiting == 38)
        try await worker.advance(by: .milliseconds(500)) { !worker.events.isEmpty }
        #expect(try await worker.answer(to: "urgent")?.status == .expired)
        end.send()
        try await worker.stop()
    }

    @Test("work whose lease is lost is stopped, and its answer is dropped")
    func losesLease() async throws {
        let (begun, cancelled, end) = (Signal(), Signal(), Signal())
        let noted = Noted()
        let worker = try await RunningWorker(
            handler: ScriptedHandler { job in
                guard noted.isFirst(job) else { return JobReply(.ok, body: []) }
                begun.send()
                await withTaskCancellationHandler {
                    await end.hang()
                } onCancel: {
                    cancelled.send()
                }
                return JobReply(.ok, body: [9])
            }
        )
        try await worker.enqueue("job")
        await begun.wait()
        try await worker.queue.giveBack([try #require(noted.first).lease])
        // The job was leased again at once; only the renewal reveals that the first lease is lost.
        #expect(try await worker.answer(to: "job") == JobReply(.ok, body: []))
        worker.time.advance(by: .seconds(1))
        await cancelled.wait()
        end.send()
        try await worker.stop()
        #expect(worker.events.contains(.lost(1)))
    }

    @Test("jobs of a dead worker are reclaimed; one that killed three is dead-lettered")
    func rescues() async throws {
        let handler = ScriptedHandler()
        let worker = try await RunningWorker(
            leaseTime: .seconds(3),
            handler: handler,
            before: { queue in
                for (id, starts) in [("innocent", 1), ("poison", 7)] {
                    let job = Job(id: id, timeLimit: .seconds(60), content: [])
                    #expect(try await queue.enqueue(job) == .accepted)
                    for _ in 0..<starts {
                        let leased = try #require(try await queue.lease(1, waiting: .zero).first)
                        #expect(try await queue.start(leased.lease))
                        try await queue.giveBack([leased.lease])
                    }
                    _ = try await queue.lease(1, waiting: .zero)
                }
            }
        )
        try await worker.advance(by: .milliseconds(500)) { try await worker.queue.status().running == 0 }
        #expect(try await worker.answer(to: "innocent")?.status == .ok)
        #expect(try await worker.answer(to: "poison")?.status == .poison)
        #expect(try await worker.queue.deadLetters(9).map(\.job.id) == ["poison"])
        #expect(handler.ids == ["innocent"])
        try await worker.stop()
        #expect(worker.events.contains(.deadLettered(JobName(id: "poison"))))
        #expect(worker.events.contains(.reclaimed(2)))
    }

    // The order of its search for lost jobs and its renewal of leases depends on chance.
    @Test(
        "a worker that stood still for longer than its leases keeps its jobs, if no other worker took them",
        arguments: 0..<10,
    )
    func standsStill(attempt: Int) async throws {
        let (begun, end) = (Signal(), Signal())
        let handler = ScriptedHandler { _ in
            begun.send()
            await end.hang()
            return JobReply(.ok, body: [])
        }
        let worker = try await RunningWorker(leaseTime: .seconds(3), handler: handler)
        try await worker.enqueue("job", within: .seconds(60))
        await begun.wait()
        // All its timers are due at once: the renewal, and the search for lost jobs.
        await worker.time.sleepers(3)
        let restart = worker.time.now + .seconds(10)
        worker.time.advance(by: .seconds(10))
        // In steps that are short beside the lease, and only while the timers wait again: on a full machine, the worker must
        // not stand still once more between a renewal and a search.
        while worker.time.now <= restart + .seconds(5) {
            await worker.time.sleepers(3)
            worker.time.advance(by: .milliseconds(50))
            try await SystemTime().sleep(for: .milliseconds(1))
        }
        end.send()
        #expect(try await worker.answer(to: "job")?.status == .ok)
        try await worker.stop()
        #expect(handler.ids == ["job"])
        #expect(worker.events.count == 1)
    }

    @Test("a worker that is told to stop finishes jobs that are decoded, returns the rest, and takes no more")
    func drains() async throws {
        let (begun, end) = (Signal(), Signal())
        let worker = try await RunningWorker(
            slots: 1,
            handler: ScriptedHandler { _ in
                WorkSlot.current?.decoderBegan()
                begun.send()
                await end.hang()
                return JobReply(.ok, body: [])
            }
        )
        try await worker.enqueue("begun", within: .seconds(20))
        await begun.wait()
        try await worker.enqueue("waiting", within: .seconds(30))
        await worker.time.sleeper(until: worker.time.start + .seconds(20) - Self.margin / 2)
        try await worker.advance(by: .zero) { try await worker.queue.status().running == 2 }
        worker.tellToStop()
        try await worker.advance(by: .zero) { try await worker.queue.status().waiting == 1 }
        end.send()
        try await worker.hasStopped()
        #expect(try await worker.answer(to: "begun")?.status == .ok)
        #expect(try await worker.queue.state(of: JobName(id: "waiting"), waiting: .zero) == .waiting)
        #expect(worker.events.contains(.gaveBack(1)))
        let again = try #require(try await worker.queue.lease(1, waiting: .zero).first)
        #expect(again.starts == 0)
    }

    @Test("an answer is posted to its callback, again after a pause if that fails, but not forever")
    func callsBack() async throws {
        let poster = ScriptedPoster([.failed, .received, .refused])
        let worker = try await RunningWorker(poster: poster)
        try await worker.enqueue("1", callback: "https://gateway.example/1")
        try await worker.advance(by: .milliseconds(500)) {
            try await worker.queue.status().callbacks == 0 && poster.posted.count == 2
        }
        try await worker.enqueue("2", callback: "https://gateway.example/2")
        try await worker.advance(by: .zero) {
            try await worker.queue.status().callbacks == 0 && poster.posted.count == 3
        }
        try await worker.stop()
        #expect(poster.posted.map(\.url) == ["1", "1", "2"].map { "https://gateway.example/\($0)" })
        #expect(
            poster.posted[1].headers == [
                "Attachd-Job": "1", "Attachd-Status": "ok", "Attachd-Attempt": "2",
                "traceparent": "00-1-2-01", "tracestate": "a=1",
            ]
        )
        #expect(poster.posted[0].body == [UInt8]("1".utf8))
        let outcomes = worker.events.compactMap { if case .callback(let outcome) = $0 { outcome } else { nil } }
        #expect(outcomes == [.failed, .received, .refused])
        let failed = worker.events.filter { if case .callbackFailed = $0 { true } else { false } }
        #expect(failed == [.callbackFailed(JobName(id: "1"), tries: 1, CallbackResult(.failed, reason: "It says so."))])
        let givenUp = worker.events.filter { if case .callbackGivenUp = $0 { true } else { false } }
        let result = CallbackResult(.refused, reason: "It says so.")
        #expect(givenUp == [.callbackGivenUp(JobName(id: "2"), tries: 1, result)])
    }

    @Test("callbacks that are never answered don't delay others")
    func tarpits() async throws {
        let poster = TarpitPoster()
        let worker = try await RunningWorker(poster: poster)
        for number in 0..<64 { try await worker.enqueue("\(number)", callback: "https://tarpit\(number).example/") }
        try await worker.advance(by: .milliseconds(500)) { poster.posted.count == 64 }
        try await worker.enqueue("last", callback: "https://gateway.example/")
        try await worker.advance(by: .milliseconds(500)) { poster.posted.last == "https://gateway.example/" }
        poster.stop()
        try await worker.stop()
    }

    @Test("a callback to a busy server is postponed, and that doesn't count as an attempt")
    func putOff() async throws {
        let poster = ScriptedPoster(Array(repeating: .postponed, count: 20))
        let worker = try await RunningWorker(poster: poster)
        try await worker.enqueue("1", callback: "https://gateway.example/1")
        try await worker.advance(by: .seconds(1)) {
            try await worker.queue.status().callbacks == 0 && poster.posted.count == 21
        }
        try await worker.stop()
        #expect(poster.posted.allSatisfy { $0.headers["Attachd-Attempt"] == "1" })
    }

    @Test("time-critical code runs while all threads of Swift's pool are busy")
    func thread() async {
        let thread = WorkerThread()
        let (started, isDone, gaveUp) = (Tally(), Tally(), Tally())
        let time = SystemTime()
        let threads = 64
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: thread) {
                // Occupies as many threads as can run at once, until this test has run several steps.
                while started.count == 0, !Task.isCancelled { try? await time.sleep(for: .milliseconds(1)) }
                for _ in 0..<20 { try? await time.sleep(for: .milliseconds(1)) }
                isDone.add()
            }
            for _ in 0..<threads {
                group.addTask {
                    // The time counts from here: the other tests may keep the pool busy before.
                    let end = time.now + .seconds(30)
                    started.add()
                    while isDone.count == 0, time.now < end {}
                    if isDone.count == 0 { gaveUp.add() }
                }
            }
        }
        #expect(gaveUp.count == 0)
    }
}

/// A counter that tasks share.
private final class Tally: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.wrappingAdd(1, ordering: .relaxed) }
}

/// A record of the first job that a handler receives.
private final class Noted: Sendable {
    private let job = Mutex<LeasedJob?>(nil)

    var first: LeasedJob? { job.withLock(\.self) }

    func isFirst(_ job: LeasedJob) -> Bool {
        self.job.withLock { noted in
            defer { noted = noted ?? job }
            return noted == nil
        }
    }
}

import App
import Base
import Jobs
import Support
import Synchronization
import Testing

@Suite("The wait for the result of a job", .timeLimit(.minutes(10)))
struct ResultWaitTests {
    private static let deadline: Duration = .seconds(25)
    private let time = TestTime()
    private let name = JobName(id: "a")

    /// The end of a wait, the number of notices, and when each question was asked and how long it may take.
    private struct Course {
        var outcome: ResultWait.Outcome
        var notices: Int
        var questions: [(at: Duration, patience: Duration)]
    }

    /// Waits while a queue answers with `state` at each time. Each question takes as long as it may.
    private func wait(_ state: @escaping @Sendable (Duration) -> JobState) async throws -> Course {
        let questions = Mutex<[(Duration, Duration)]>([])
        let wait = ResultWait(time: time) { [time] _, patience in
            questions.withLock { $0.append((time.now - time.start, patience)) }
            time.advance(by: patience)
            return state(time.now - time.start)
        }
        var notices = 0
        let outcome = try await wait.outcome(of: name, deadline: time.now + Self.deadline) { notices += 1 }
        return Course(outcome: outcome, notices: notices, questions: questions.withLock { $0 })
    }

    @Test("without a worker: a notice soon, and the end soon after the deadline")
    func noWorker() async throws {
        let course = try await wait { _ in .waiting }
        #expect(course.outcome == .late(isTaken: false) && course.notices == 1)
        #expect(course.questions.first?.patience == ResultWait.notice)
        #expect(time.now == time.start + Self.deadline + ResultWait.grace)
    }

    @Test("with a worker that hangs: no notice, and the end soon after the deadline")
    func hangingWorker() async throws {
        let course = try await wait { _ in .running }
        #expect(course.outcome == .late(isTaken: true) && course.notices == 0)
        #expect(time.now == time.start + Self.deadline + ResultWait.grace)
    }

    @Test("a worker that comes after the notice answers the job")
    func lateWorker() async throws {
        let reply = JobReply(.ok, body: [1])
        let course = try await wait { $0 > .seconds(20) ? .finished(reply) : .waiting }
        #expect(course.outcome == .finished(reply) && course.notices == 1)
    }

    @Test("an answer at once is the only question, and a result that is no longer kept ends the wait")
    func atOnce() async throws {
        let reply = JobReply(.degraded, body: [])
        let course = try await wait { _ in .finished(reply) }
        #expect(course.outcome == .finished(reply) && course.notices == 0 && course.questions.count == 1)
        #expect(try await wait { _ in .unknown }.outcome == .unknown)
    }

    @Test("a server that answers before its time is over is not asked again at once")
    func busyServer() async throws {
        let questions = Atomic(0)
        let wait = ResultWait(time: JumpingTime(time: time)) { _, _ in
            questions.add(1, ordering: .relaxed)
            return .waiting
        }
        let outcome = try await wait.outcome(of: name, deadline: time.now + Self.deadline) {}
        #expect(outcome == .late(isTaken: false))
        #expect(questions.load(ordering: .relaxed) <= 200)
    }
}

/// A clock whose sleepers move it to the time that they sleep until.
private struct JumpingTime: TimeSource {
    let time: TestTime

    var now: Instant { time.now }

    func sleep(until instant: Instant, tolerance: Duration?) async throws { time.advance(by: instant - time.now) }
}

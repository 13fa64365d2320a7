import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("The limiter of requests to origins", .timeLimit(.minutes(10)))
struct OriginLimiterTests {
    private let time = TestTime()
    private let origin = Origin(scheme: "https", host: "a.example", port: 443)

    private func gate(_ limit: Int) -> OriginLimiter {
        var rule = OriginRule()
        rule.firstLimit = limit
        // No request is preempted here.
        rule.grace = .seconds(1000)
        return OriginLimiter(rule, time: time, recorder: NoRecorder<OriginEvent>())
    }

    private func enter(_ gate: OriginLimiter, within limit: Duration) -> Task<
        Result<OriginPermit, OriginLimitError>, Never
    > {
        Task { [time, origin] in
            do throws(OriginLimitError) {
                return .success(try await gate.enter(origin, until: time.now + limit))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Waits until `count` requests wait.
    private func waiting(_ count: Int, at gate: OriginLimiter) async throws {
        try await eventually { gate.usage.waiting == count }
    }

    @Test("a returned permit goes to the next request, and so does a released one")
    func handsOver() async throws {
        let gate = gate(1)
        var first: OriginPermit? = try await gate.enter(origin, until: time.now + .seconds(10))
        let second = enter(gate, within: .seconds(10))
        try await waiting(1, at: gate)
        first?.leave(.worked)
        let permit = try await second.value.get()
        let third = enter(gate, within: .seconds(10))
        try await waiting(1, at: gate)
        // The second time there is no permit to return.
        first?.leave(.worked)
        first = nil
        #expect(gate.usage.waiting == 1 && gate.usage.inFlight == 1)
        permit.leave(.unknown)
        try await third.value.get().leave(.worked)
        #expect(gate.usage.origins == 1 && gate.usage.inFlight == 0)
    }

    @Test("a waiting request is refused at its deadline")
    func deadline() async throws {
        let gate = gate(1)
        let first = try await gate.enter(origin, until: time.now + .seconds(10))
        let second = enter(gate, within: .seconds(3))
        await time.sleeper(until: time.start + .seconds(3))
        time.advance(by: .seconds(3))
        #expect(await second.value.failure == .late)
        #expect(gate.usage.waiting == 0)
        first.leave(.worked)
    }

    @Test("a cancelled request leaves, before or while it waits")
    func cancelled() async throws {
        let gate = gate(1)
        let first = try await gate.enter(origin, until: time.now + .seconds(10))
        let second = enter(gate, within: .seconds(5))
        try await waiting(1, at: gate)
        second.cancel()
        #expect(await second.value.failure == .cancelled)
        let third = Task { [origin, time] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try? await gate.enter(origin, until: time.now + .seconds(5))
        }
        #expect(await third.value == nil)
        #expect(gate.usage.waiting == 0)
        first.leave(.worked)
    }

    @Test("an origin that asked for a pause is asked again after a second")
    func pause() async throws {
        let gate = gate(8)
        let first = try await gate.enter(origin, until: time.now + .seconds(60))
        first.leave(OriginOutcome(isOverloaded: true, pause: .seconds(20)))
        let (early, late) = (enter(gate, within: .milliseconds(500)), enter(gate, within: .seconds(60)))
        #expect(await early.value.failure == .askedToWait(until: time.start + .seconds(5)))
        await time.sleeper(until: time.start + .seconds(1))
        time.advance(by: .seconds(1))
        _ = try await late.value.get()
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

import Base
import LoadTest
import Media
import Synchronization

/// A clock on which waiting takes no time: each sleep moves the clock forward.
final class SwiftTime: TimeSource {
    private let instant = Mutex(Instant(sinceOrigin: .seconds(1000)))

    var now: Instant { instant.withLock(\.self) }

    func sleep(until end: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        instant.withLock { $0 = max($0, end) }
    }
}

/// A target with scripted answers, which depend on the notification alone, as does their timing.
struct ScriptedTarget: LoadTarget {
    var outcome: @Sendable (Int) -> LoadAnswer.Outcome = { _ in .complete }
    /// The time from sending the notification to its answer.
    var latency: @Sendable (Int) -> Duration
    /// The lateness of the generator.
    var lateness: @Sendable (Int) -> Duration = { _ in .zero }

    func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer {
        let number = notification.number
        let sent = notification.due + lateness(number)
        let answered = sent + latency(number)
        guard answered < end else { return LoadAnswer(.unanswered, sent: sent, answered: end) }
        var answer = LoadAnswer(outcome(number), sent: sent, answered: answered)
        answer.stages = ["decode": latency(number) / 2, "total": latency(number)]
        answer.margin = notification.deadline - latency(number)
        return answer
    }
}

extension LoadNotification {
    /// The notification's number in the run.
    var number: Int { Int(identifier.drop { $0 != "-" }.dropFirst()) ?? 0 }
}

/// Returns the latency of a healthy worker: about 20 to 60 ms, random by the notification's number.
func healthyLatency(_ number: Int) -> Duration {
    var random = SplitMix(seed: UInt64(number))
    return .milliseconds(20 + 40 * Double.random(in: 0..<1, using: &random))
}

extension LoadRun {
    /// Returns a test of 100 notifications a second for 40 s, each with a deadline of one second.
    static func sample(seed: UInt64 = 1, budgets: [String] = [], rate: String = "100") throws -> LoadRun {
        var mix = NotificationMix(sources: [Weighted("http://127.0.0.1/a.jpg")], deadline: .seconds(1))
        mix.seed = seed
        var run = LoadRun(
            rates: try Rate.steps(rate),
            duration: .seconds(40),
            mix: mix,
            warmUp: .zero,
            clients: 4,
            targetName: "scripted",
        )
        run.budgets = try budgets.map { try Budget($0) }
        return run
    }
}

package import Jobs
import Timing

/// The answer to how many workers the fleet of a queue needs. All processes of the fleet share what it remembers, in the
/// queue, so any of them answers the same.
package final class FleetScaler: Sendable {
    private let queue: any JobQueue
    private let rule: ScalingRule
    /// The number of times that an answer is computed anew because another process answered meanwhile.
    private static let attempts = 3

    package init(_ queue: any JobQueue, rule: ScalingRule = ScalingRule()) {
        self.queue = queue
        self.rule = rule
    }

    /// Looks at the queue, and returns the answer of this moment.
    package func answer() async throws -> ScalingAnswer {
        var attempt = 1
        while true {
            let (load, stored) = try await queue.load()
            var state = stored.flatMap { ScalingState($0) } ?? ScalingState()
            let answer = rule.look(at: load, &state)
            // Two looks at the same moment differ so little that one of them may be forgotten.
            // A server that is full takes no state, and is the one that needs workers most.
            let isStored = (try? await queue.storeScaling(state.text, replacing: stored)) ?? true
            if isStored || attempt == Self.attempts { return answer }
            attempt += 1
        }
    }
}

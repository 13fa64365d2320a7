import Jobs

/// Rounds of jobs long after the last fault. In one of the first, all must succeed: no breaker, permit, slot, decoder or lease
/// is stuck.
struct Recovery {
    /// The longest pause of a circuit breaker, with its variation, twice.
    static let pause = Duration.seconds(150)
    /// The most rounds. Each worker has breakers of its own, which close after three jobs one after the other.
    static let rounds = 20
    /// The number of jobs for each origin that arrive together.
    private static let crowd = 4

    static func tasks(_ round: Int, at start: Duration, areLarge: Bool) -> [Plan.Task] {
        (0..<4).flatMap { origin in
            (0..<crowd).map { number in
                let name = 1000 + (round * 4 + origin) * crowd + number
                let small = Source(origin: origin, content: .jpeg, number: name, byteCount: 600)
                return Plan.Task(
                    id: "r\(name)",
                    at: start,
                    tenant: "default",
                    priority: .high,
                    timeLimit: .seconds(25),
                    source: areLarge ? Source(large: name, origin: origin) : small,
                )
            }
        }
    }
}

extension World {
    /// Enqueues a round of these jobs, and returns their names.
    func tryRecovery(_ round: Int) -> [JobName] {
        let tasks = Recovery.tasks(round, at: scheduler.now, areLarge: plan.recoversWithLarge)
        for task in tasks { schedule(task) }
        return tasks.map(\.job.name)
    }

    /// Returns the first of these jobs that had another answer than the best.
    func firstOriginal(of names: [JobName]) -> JobName? { names.first { queueChecks.answers[$0]?.status != .ok } }
}

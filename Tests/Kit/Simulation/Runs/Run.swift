import CSimulation
import Glibc
import Jobs
import Media

/// One run of a plan, from the first job until all is quiet.
struct Run {
    struct Outcome {
        var broken: (rule: Verdict.Rule, message: String)?
        var digest: [UInt8]
        var history: [UInt8]
        var lineCount: Int
        var stepCount: Int
    }

    private let world: World
    private let descriptors: Int
    /// The time after which callbacks must be posted or given up: the longest pause between two attempts, twice.
    private static let callbackPatience = Duration.seconds(700)
    private static let stepLimit = 1_000_000

    /// Runs a plan once, so that the processes that are forked from this one have the runtime's caches filled.
    static func warmUp() { _ = outcome(of: Plan(seed: 0)) }

    /// Runs the plan. A process does this once, so that each run begins in the same state.
    static func outcome(of plan: Plan) -> Outcome {
        csimulation_seed(plan.seed)
        csimulation_set_time(1_000_000_000_000)
        csimulation_take_over()
        return Run(plan).outcome()
    }

    private init(_ plan: Plan) {
        descriptors = Self.openDescriptors
        world = World(plan)
    }

    private func outcome() -> Outcome {
        world.begin()
        let end = world.end
        pass { world.scheduler.now > end && world.queueChecks.openCount == 0 }
        checkRecovery()
        pass(.callbacks, within: Self.callbackPatience) { world.server.state.callbacks.isEmpty }
        world.stopWorkers()
        pass(.ends, within: .seconds(60)) { world.workers.values.allSatisfy(\.hasEnded) }
        checkQuiet()
        return Outcome(
            broken: world.verdict.broken,
            digest: world.history.digest,
            history: world.history.text,
            lineCount: world.history.lineCount,
            stepCount: world.scheduler.stepCount,
        )
    }

    /// Runs until `isOver`, or a rule is broken.
    private func pass(
        _ rule: Verdict.Rule = .ends,
        within limit: Duration = .seconds(100_000),
        _ isOver: () -> Bool,
    ) {
        let (verdict, scheduler) = (world.verdict, world.scheduler)
        let latest = scheduler.now + limit
        while verdict.broken == nil, !isOver() {
            verdict.require(scheduler.now < latest, rule, "it is not over after \(limit)")
            verdict.require(scheduler.stepCount < Self.stepLimit, .ends, "too many steps: something goes in circles")
            verdict.require(scheduler.step(), rule, "nothing is left to do, and it is not over")
        }
    }

    /// Checks that all jobs succeed again a while after the last fault.
    private func checkRecovery() {
        guard world.plan.triesRecovery, world.verdict.broken == nil else { return }
        let start = world.scheduler.now + Recovery.pause
        world.scheduler.at(start) {}
        pass { world.scheduler.now >= start }
        for round in 0..<Recovery.rounds where world.verdict.broken == nil {
            let names = world.tryRecovery(round)
            pass(.recovers, within: .seconds(60)) { names.allSatisfy { world.queueChecks.answers[$0] != nil } }
            guard let failed = world.firstOriginal(of: names) else { return }
            world.verdict.require(
                round + 1 < Recovery.rounds,
                .recovers,
                "\(failed.id) has no attachment long after all faults"
            )
        }
    }

    /// Checks that nothing is left when all workers have ended: no lease, permit, waiter, task or descriptor.
    private func checkQuiet() {
        guard world.verdict.broken == nil else { return }
        let leftovers = Leftovers(world.releaseWorkers())
        let verdict = world.verdict
        while verdict.broken == nil, world.scheduler.step() {
            verdict.require(world.scheduler.stepCount < Self.stepLimit, .nothingLeft, "a loop goes on")
        }
        verdict.require(world.server.state.leasedCount == 0, .nothingLeft, "a lease is left")
        if let left = leftovers.first { verdict.breaks(.nothingLeft, left) }
        // The descriptors of a process that was killed are gone with it, but not here.
        guard !world.hasKilled else { return }
        let left = Self.openDescriptors - descriptors
        verdict.require(left == 0, .nothingLeft, "\(left) descriptors are left")
    }

    private static var openDescriptors: Int { (0..<Int32(1024)).count { fcntl($0, F_GETFD) >= 0 } }
}

import CSimulation
import Glibc
import Jobs
import JobsRedis
import JobsSQLite
import Timing

@testable import Simulation

/// One run of a plan over a queue of the product, in real time.
struct RealRun {
    private let world: World
    private let queue: RealFleetQueue
    /// The time after which a run is not over, and never will be. No rule depends on it.
    private static let patience = Duration.seconds(150)

    /// Runs the plan. `name` is `sqlite:FOLDER`, in which the run makes a file, or the URL of a Redis.
    static func report(on plan: Plan, over name: String) -> Report {
        csimulation_take_over()
        csimulation_share()
        let clock = RealClock()
        let plan = plan.inRealTime(from: clock.start)
        let world = World(plan)
        world.verdict.ignored = [.answeredInTime, .deadlineOrder, .tenantsTurns, .breakers, .due, .idle]
        world.queueChecks.patience = .seconds(5)
        world.scheduler.real = clock
        do {
            let open = try Self.opener(name, plan.seed, world)
            return RealRun(world, RealFleetQueue(world, leaseTime: QueueLimits().leaseTime, open: open)).report()
        } catch {
            return Report(plan.seed, ended: "the queue does not open: \(error)")
        }
    }

    private init(_ world: World, _ queue: RealFleetQueue) {
        self.world = world
        self.queue = queue
        world.queue = queue
    }

    /// Returns what opens the queue for each worker: a file is shared, and Redis has a connection for each.
    private static func opener(_ name: String, _ seed: UInt64, _ world: World) throws -> () -> any JobQueue {
        guard name.hasPrefix("sqlite:") else {
            var settings = try RedisSettings(url: name)
            settings.namespace = "seed\(seed)"
            let first = try RedisJobQueue(settings)
            return { [settings] in (try? RedisJobQueue(settings)) ?? first }
        }
        let path = "\(name.dropFirst("sqlite:".count))/\(seed).sqlite"
        let opened = Opened<SQLiteJobQueue>()
        world.scheduler.on(Machine("opening")) {
            _ = Task.detached {
                do {
                    opened.result = .success(try await SQLiteJobQueue.open(path))
                } catch {
                    opened.result = .failure(error)
                }
            }
        }
        while opened.result == nil { _ = world.scheduler.step() }
        guard let queue = try opened.result?.get() else { throw JobQueueError(.unavailable, "It did not open.") }
        return { queue }
    }

    private func report() -> Report {
        let (verdict, checks) = (world.verdict, world.queueChecks)
        world.begin()
        let end = world.end
        pass("all jobs answered") { world.scheduler.now > end && checks.openCount == 0 }
        let status = Opened<QueueStatus>()
        pass("all callbacks posted") { waits(for: status) { $0.callbacks == 0 } }
        world.stopWorkers()
        pass("all workers stopped") { world.workers.values.allSatisfy(\.hasEnded) }
        let last = Opened<QueueStatus>()
        pass("nothing left in the queue") { waits(for: last) { $0.waiting + $0.running + $0.callbacks == 0 } }
        let leftovers = Leftovers(world.releaseWorkers())
        if verdict.broken == nil, let left = leftovers.firstText { verdict.breaks(.nothingLeft, left) }
        var report = Report(world.plan.seed, ended: verdict.broken?.message ?? "")
        report.rule = verdict.broken?.rule.rawValue
        report.lineCount = world.history.lineCount
        report.stepCount = world.scheduler.stepCount
        report.coverage = world.coverage.counts
        if report.rule != nil {
            let text = world.history.text
            unsafe text.withUnsafeBytes { _ = unsafe write(1, $0.baseAddress, $0.count) }
        }
        return report
    }

    private func pass(_ what: String, _ isOver: () -> Bool) {
        let verdict = world.verdict
        while verdict.broken == nil, !isOver() {
            verdict.require(world.scheduler.now < Self.patience, .ends, "not \(what) after \(Self.patience)")
            _ = world.scheduler.step()
        }
    }

    /// Asks the queue for its status again and again until it is as wanted.
    private func waits(for status: Opened<QueueStatus>, _ isDone: (QueueStatus) -> Bool) -> Bool {
        if case .success(let found)? = status.result, isDone(found) { return true }
        guard status.asked + .milliseconds(100) < world.scheduler.now else { return false }
        status.asked = world.scheduler.now
        queue.status { status.result = .success($0) }
        return false
    }
}

/// A value that comes later.
///
/// `@unchecked Sendable`: a run has one thread.
private final class Opened<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
    var asked = Duration.seconds(-1)
}

extension Plan {
    /// The longest time in which jobs and faults begin. A job may take longer.
    private static let span = Duration.seconds(4)

    /// Returns the plan with its times shortened, and without what takes minutes.
    fileprivate func inRealTime(from start: Instant) -> Plan {
        var plan = self
        plan.triesRecovery = false
        let last = (tasks.map(\.at) + faults.map(\.start)).max() ?? .zero
        let factor = min(1, Self.span / max(last, .milliseconds(1)))
        for index in plan.tasks.indices {
            plan.tasks[index].timeLimit = min(plan.tasks[index].timeLimit, .seconds(6))
            plan.tasks[index].at = plan.tasks[index].at * factor
            // A source that kills its worker costs the time of a lease, seven times.
            if plan.tasks[index].source.content == .deadly { plan.tasks[index].source.content = .crash }
        }
        plan.faults = plan.faults.filter { if case .callbacks = $0.kind { false } else { true } }
        for index in plan.faults.indices {
            plan.faults[index].start = plan.faults[index].start * factor
            plan.faults[index].length = min(plan.faults[index].length, .seconds(4))
        }
        for index in plan.workers.indices {
            plan.workers[index].clock = MachineClock(offset: start.sinceOrigin, drift: 0)
        }
        return plan
    }
}

import Jobs
import SeededRandom
import Worker

/// The queue and the workers of a simulated day.
struct SimulatedFleet {
    private let day: FleetDay
    private var random: SplitMix
    private var state = ScalingState()
    /// The number of waiting jobs by the second at which they are due.
    private var due: [Int: Int] = [:]
    private var waiting = 0
    /// The seconds at which the workers have started or will have.
    private var workers: [Int] = []
    /// The part of a job that the workers may do beyond the whole ones.
    private var credit = 0.0
    private var earliest = 0
    private(set) var outcome = FleetDay.Outcome()
    private var minute = FleetDay.Minute(time: 0)

    init(day: FleetDay) {
        self.day = day
        random = SplitMix(seed: day.seed)
    }

    mutating func pass(_ second: Int) {
        arrive(at: second)
        let running = workers.count { $0 <= second }
        work(at: second, running)
        if second.isMultiple(of: day.pollSeconds) { scale(at: second, running) }
        guard second % 60 == 59 else { return }
        (minute.backlog, minute.running) = (waiting, running)
        outcome.minutes.append(minute)
        minute = FleetDay.Minute(time: second + 1, needed: minute.needed, asked: minute.asked)
    }

    private mutating func arrive(at second: Int) {
        add(arrivals(of: day.curve(second)), at: second, within: day.timeLimit)
        for campaign in day.campaigns where campaign.second == second {
            add(campaign.jobs, at: second, within: campaign.timeLimit)
        }
    }

    private mutating func add(_ count: Int, at second: Int, within limit: Int) {
        guard count > 0 else { return }
        due[second + limit, default: 0] += count
        earliest = waiting == 0 ? second + limit : min(earliest, second + limit)
        waiting += count
        outcome.arrived += count
        minute.arrivals += count
        // The next question, the start of a worker, and a second of work.
        let soonest = day.pollSeconds + day.startSeconds + 1
        if workers.isEmpty, limit < soonest { outcome.hopeless += count }
    }

    /// Returns a number of arrivals with this mean: those of a hundred users who come or do not.
    private mutating func arrivals(of mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        return (0..<100).count { _ in Double.random(in: 0..<1, using: &random) < mean / 100 }
    }

    /// Does the jobs that are due first. Jobs whose time is up are answered without work.
    private mutating func work(at second: Int, _ running: Int) {
        credit = waiting == 0 ? 0 : credit + Double(running) * day.jobsPerSecond
        while waiting > 0, earliest <= second || credit >= 1 {
            guard let count = due.removeValue(forKey: earliest) else {
                earliest += 1
                continue
            }
            if earliest <= second {
                waiting -= count
                outcome.late += count
                minute.late += count
            } else {
                let done = min(count, Int(exactly: credit.rounded(.down)) ?? 0)
                credit -= Double(done)
                waiting -= done
                outcome.done += done
                if done < count { due[earliest] = count - done }
            }
        }
    }

    private mutating func scale(at second: Int, _ running: Int) {
        let counts = QueueLoad.horizons.map { horizon in
            let end = second + Int(horizon.components.seconds)
            return QueueLoad.Due(within: horizon, count: due.reduce(0) { $0 + ($1.key <= end ? $1.value : 0) })
        }
        let report = WorkerReport(slots: 64, running: 0, jobsPerSecond: day.jobsPerSecond)
        let load = QueueLoad(
            now: 1_700_000_000_000 + second * 1000,
            due: counts,
            waiting: waiting,
            arrived: outcome.arrived,
            workers: [WorkerReport](repeating: report, count: running),
        )
        let answer = day.rule.look(at: load, &state)
        (minute.needed, minute.asked) = (answer.needed, answer.workers)
        if answer.workers != workers.count { outcome.steps.append(answer.workers) }
        while workers.count < answer.workers { workers.append(second + day.startSeconds) }
        // The newest workers end first, after their jobs in progress.
        workers.removeLast(workers.count - answer.workers)
    }
}

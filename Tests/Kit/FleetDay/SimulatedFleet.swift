import Base
import Jobs

/// The queue and the workers of a simulated day.
struct SimulatedFleet {
    private let day: FleetDay
    private var random: SplitMix
    private var state = ScalingState()
    /// The jobs that no worker has leased.
    private var queue = DueJobs()
    private var workers: [SimulatedWorker] = []
    private(set) var outcome = FleetDay.Outcome()
    private var minute = FleetDay.Minute(time: 0)

    init(day: FleetDay) {
        self.day = day
        random = SplitMix(seed: day.seed)
    }

    mutating func pass(_ second: Int) {
        arrive(at: second)
        work(at: second)
        if second.isMultiple(of: day.pollSeconds) { scale(at: second) }
        guard second % 60 == 59 else { return }
        minute.backlog = queue.total + workers.reduce(0) { $0 + $1.held.total }
        minute.running = running(at: second).count
        outcome.minutes.append(minute)
        minute = FleetDay.Minute(time: second + 1, needed: minute.needed, asked: minute.asked)
    }

    private func running(at second: Int) -> Range<Int> { 0..<workers.count { $0.start <= second } }

    private mutating func arrive(at second: Int) {
        add(arrivals(of: day.curve(second)), at: second, within: day.timeLimit)
        for campaign in day.campaigns where campaign.second == second {
            add(campaign.jobs, at: second, within: campaign.timeLimit)
        }
    }

    private mutating func add(_ count: Int, at second: Int, within limit: Int) {
        guard count > 0 else { return }
        queue.add(count, due: second + limit)
        outcome.arrived += count
        minute.arrivals += count
        // The next question, the start of a worker, and a second of work.
        let soonest = day.pollSeconds + day.startSeconds + 1
        if workers.isEmpty, limit < soonest { outcome.hopeless += count }
    }

    /// Returns a number of arrivals with this mean: those of a hundred users who come or do not.
    private mutating func arrivals(of mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        let comes = UInt64(mean / 100 * 0x1p64)
        var count = 0
        var user = 0
        while user < 100 {
            if random.next() < comes { count += 1 }
            user += 1
        }
        return count
    }

    /// Has the workers lease and do the jobs that are due first. Jobs whose time is up are answered without work.
    private mutating func work(at second: Int) {
        let running = running(at: second)
        for index in running { workers[index].lease(from: &queue) }
        var isLeasing = !running.isEmpty
        while isLeasing {
            isLeasing = false
            for index in running where workers[index].leaseUrgent(from: &queue, at: second) { isLeasing = true }
        }
        for index in running {
            let (done, late) = workers[index].work(at: second, day.jobsPerSecond)
            outcome.done += done
            count(late: late)
        }
        // Without a worker, nobody answers these in time.
        if running.isEmpty { count(late: queue.remove(.max, dueBy: second)) }
    }

    private mutating func count(late: Int) {
        outcome.late += late
        minute.late += late
    }

    private mutating func scale(at second: Int) {
        let counts = QueueLoad.horizons.map { horizon in
            QueueLoad.Due(within: horizon, count: queue.count(dueBy: second + Int(horizon.components.seconds)))
        }
        let report = WorkerReport(slots: 64, running: 0, jobsPerSecond: day.jobsPerSecond)
        let load = QueueLoad(
            now: 1_700_000_000_000 + second * 1000,
            due: counts,
            waiting: queue.total,
            running: workers.reduce(0) { $0 + $1.held.total },
            arrived: outcome.arrived,
            workers: [WorkerReport](repeating: report, count: running(at: second).count),
        )
        let answer = day.rule.look(at: load, &state)
        (minute.needed, minute.asked) = (answer.needed, answer.workers)
        if answer.workers != workers.count { outcome.steps.append(answer.workers) }
        while workers.count < answer.workers { workers.append(SimulatedWorker(start: second + day.startSeconds)) }
        // The newest workers end first, and give back what they have not begun.
        while workers.count > answer.workers, var last = workers.popLast() { last.giveBack(to: &queue) }
    }
}

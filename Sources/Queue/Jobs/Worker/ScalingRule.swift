import Base

/// The rule for the number of workers that a queue needs now, so that nearly all jobs are done in time.
///
/// - **Arrivals:** enough workers for the rate at which jobs arrive, with a reserve. The number falls by one only if the
///   remaining workers would keep a larger reserve. The rate rises faster than it falls. Jobs that arrive all at once are
///   a backlog and hardly change the rate.
/// - **Backlog:** for each future time, enough workers to finish the jobs that are due by then. A new worker helps only
///   after its start-up time, so earlier jobs are no reason to start one.
/// - **Zero** if there is no work, and no job arrived for the idle time. Otherwise at least one.
/// - **Fast up, slow down:** the number is the highest of the last minutes. So it rises immediately, falls only when the
///   need was lower for all this time, and does not flap.
package struct ScalingRule: Sendable, Equatable {
    /// The time from the decision for a new worker to its first job.
    package var startTime: Duration
    /// The time for which the need must be lower before the number falls.
    package var calmTime: Duration
    /// The time without jobs after which no worker is needed.
    package var idleTime: Duration

    /// The part of the backlog that must be finished in time.
    static let share = 0.99
    /// The parts of a worker's rate that are planned for: arrivals come in bursts, and a backlog is counted.
    static let arrivalPart = 0.8
    static let backlogPart = 0.9
    /// The maximum part of the remaining workers' rate that arrivals may need before a worker ends. The noise of arrivals
    /// is well within the band between the two parts.
    static let calmPart = 0.65
    /// The time in which the estimate of the rate follows a rise and a fall, in seconds. It does not more than double
    /// within the time of a rise.
    static let riseTime = 15.0
    static let fallTime = 60.0
    /// The rate of a worker before any has learnt its own, in jobs per second: small pictures on one core.
    static let firstRate = 4.0
    /// The time in which leased jobs are to be done, in seconds.
    static let leasedTime = 20.0
    /// The shortest useful time of a new worker, in seconds.
    static let usefulTime = 2.0
    /// The most workers that are ever asked for.
    static let most = 10_000

    package init(
        startTime: Duration = .seconds(20),
        calmTime: Duration = .seconds(180),
        idleTime: Duration = .seconds(300),
    ) {
        self.startTime = startTime
        self.calmTime = calmTime
        self.idleTime = idleTime
    }

    /// Updates `state` from the queue's load, and returns the number of workers and how it was calculated.
    package func look(at load: QueueLoad, _ state: inout ScalingState) -> ScalingAnswer {
        state.observe(load)
        let rate = state.jobsPerSecond ?? Self.firstRate
        let few = Self.whole(state.arrivalsPerSecond / (rate * Self.arrivalPart))
        let many = Self.whole(state.arrivalsPerSecond / (rate * Self.calmPart))
        let forArrivals = min(max(state.asked, few), many)
        let forBacklog = workers(for: load, rate: rate)
        let isIdle =
            load.waiting == 0 && load.running == 0 && load.callbacks == 0
            && load.now - state.lastJob >= idleTime.milliseconds
        let need = isIdle ? 0 : max(1, min(max(forArrivals, forBacklog), Self.most))
        let workers = isIdle ? 0 : state.highest(need, at: load.now, within: calmTime)
        state.asked = workers
        return ScalingAnswer(
            workers: workers,
            needed: need,
            forArrivals: forArrivals,
            forBacklog: forBacklog,
            arrivalsPerSecond: state.arrivalsPerSecond,
            jobsPerSecond: rate,
            load: load,
        )
    }

    /// Returns the number of workers that finish the waiting jobs in time, including the running workers.
    private func workers(for load: QueueLoad, rate: Double) -> Int {
        let (running, start) = (load.workers.count, startTime / .seconds(1))
        let (rate, leased) = (rate * Self.backlogPart, Double(load.running))
        // Enough running workers stay to finish all leased jobs in this time.
        var most = min(running, Self.whole(leased / (rate * Self.leasedTime)))
        // No worker can finish these jobs in time. They are answered without work.
        var lost = 0.0
        for due in load.due {
            let time = due.within / .seconds(1)
            let jobs = max(0, Double(due.count) - lost) * Self.share
            // Workers first finish the jobs that they have already leased.
            let doable = max(0, Double(running) * rate * time - leased)
            if jobs == 0 {
                continue
            } else if jobs <= doable {
                most = max(most, Self.whole((jobs + leased) / (rate * time)))
            } else if time - start >= Self.usefulTime {
                most = max(most, running + Self.whole((jobs - doable) / (rate * (time - start))))
            } else {
                most = max(most, running)
                lost += jobs - doable
            }
        }
        // More workers than jobs would have nothing to do.
        return min(most, max(load.waiting + load.running, 1))
    }

    /// Rounds up, unless the number is at most a hundredth above a whole number.
    private static func whole(_ number: Double) -> Int {
        Int(exactly: min(max(0, number - 0.01), Double(most)).rounded(.up)) ?? most
    }
}

/// The number of workers that a queue needs, and the numbers from which it was calculated.
package struct ScalingAnswer: Sendable, Equatable {
    /// The number of workers to run: the highest `needed` of the last minutes.
    package var workers: Int
    /// The number of workers that this moment needs.
    package var needed: Int
    package var forArrivals: Int
    package var forBacklog: Int
    package var arrivalsPerSecond: Double
    /// The number of jobs that one worker finishes in a second.
    package var jobsPerSecond: Double
    package var load: QueueLoad
}

// MARK: - Memory

/// The memory of the scaling rule from one look at the queue to the next. Processes that share a queue share it.
package struct ScalingState: Sendable, Equatable {
    /// A need, and the time at which it was seen.
    struct Need: Sendable, Equatable {
        var time: Int
        var workers: Int
    }

    /// The time of the last look, in milliseconds since 1970; `nil` before the first.
    private(set) var time: Int?
    private(set) var arrived = 0
    private(set) var arrivalsPerSecond = 0.0
    /// The rate of a worker. It is kept while no worker runs.
    private(set) var jobsPerSecond: Double?
    /// The number of workers in the last answer.
    var asked = 0
    /// The last time at which there was a job.
    private(set) var lastJob = 0
    /// Needs of the last minutes, newest last. A need is dropped when a newer one is as high.
    private(set) var needs: [Need] = []

    /// The shortest time between two observations of the rate. Shorter ones say little.
    private static let shortest = 1000
    /// The most needs that are kept. They fall from one to the next.
    private static let needLimit = 64

    package init() {}

    mutating func observe(_ load: QueueLoad) {
        let learnt = load.workers.compactMap(\.jobsPerSecond)
        let hasJobs = load.waiting > 0 || load.running > 0 || load.callbacks > 0
        if !learnt.isEmpty { jobsPerSecond = learnt.reduce(0, +) / Double(learnt.count) }
        guard let last = time, load.now >= last else {
            // This is the first look: without jobs, no worker is needed yet. Or the queue's clock was set back, such as by
            // a fail-over: then the earlier need remains.
            lastJob = time != nil || hasJobs ? load.now : 0
            if time == nil { needs = [] }
            (time, arrived) = (load.now, load.arrived)
            return
        }
        if hasJobs || load.arrived > arrived { lastJob = load.now }
        guard load.now - last >= Self.shortest else { return }
        let seconds = Double(load.now - last) / 1000
        let (new, overflows) = load.arrived.subtractingReportingOverflow(arrived)
        let rate = overflows || new < 0 ? 0 : Double(new) / seconds
        let pace = rate > arrivalsPerSecond ? ScalingRule.riseTime : ScalingRule.fallTime
        // Jobs that arrive at once are in the backlog already, and say little about those to come.
        let limit = (arrivalsPerSecond + 1) * seconds / ScalingRule.riseTime
        arrivalsPerSecond += min((rate - arrivalsPerSecond) * seconds / (seconds + pace), limit)
        (time, arrived) = (load.now, load.arrived)
    }

    /// Records a need, and returns the highest one within the last `time`.
    mutating func highest(_ workers: Int, at now: Int, within time: Duration) -> Int {
        needs.removeAll { now - $0.time >= time.milliseconds || $0.workers <= workers || $0.time > now }
        needs.append(Need(time: now, workers: workers))
        // The newest but one is the first that may be missing.
        if needs.count > Self.needLimit { needs.remove(at: needs.count - 2) }
        return needs.first?.workers ?? workers
    }
}

extension ScalingState {
    /// The state as text, for the processes that share a queue.
    package var text: String {
        let numbers = [
            "1", "\(time ?? 0)", "\(arrived)", "\(lastJob)", "\(arrivalsPerSecond)", "\(jobsPerSecond ?? 0)",
            "\(asked)",
        ]
        return (numbers + needs.flatMap { ["\($0.time)", "\($0.workers)"] }).joined(separator: " ")
    }

    /// Reads the state. Returns `nil` if another program or version wrote it.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 200).map(String.init)
        guard words.count >= 7, !words.count.isMultiple(of: 2), words[0] == "1", words.count <= 7 + 2 * Self.needLimit,
            let time = Int(words[1]), let arrived = Int(words[2]), let lastJob = Int(words[3]),
            let arrivals = Double(words[4]), (0...1e9).contains(arrivals), let rate = Double(words[5]),
            let asked = Int(words[6]), (0...ScalingRule.most).contains(asked), Self.times.contains(time),
            Self.times.contains(lastJob), arrived >= 0
        else { return nil }
        (self.time, self.arrived, self.lastJob, arrivalsPerSecond) = (time, arrived, lastJob, arrivals)
        self.asked = asked
        jobsPerSecond = WorkerReport.sensibleRates.contains(rate) ? rate : nil
        for index in stride(from: 7, to: words.count, by: 2) {
            guard let time = Int(words[index]), Self.times.contains(time), let workers = Int(words[index + 1]),
                (0...ScalingRule.most).contains(workers)
            else { return nil }
            needs.append(Need(time: time, workers: workers))
        }
    }

    /// The valid times: 142,000 years, so that differences do not overflow.
    private static let times = 0...1 << 52
}

// MARK: - The fleet

/// The calculation of the number of workers that the fleet of a queue needs. All processes of the fleet share its state in
/// the queue, so each of them gives the same answer.
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
            // A full server does not store the state, although it needs workers most.
            let isStored = (try? await queue.storeScaling(state.text, replacing: stored)) ?? true
            if isStored || attempt == Self.attempts { return answer }
            attempt += 1
        }
    }
}

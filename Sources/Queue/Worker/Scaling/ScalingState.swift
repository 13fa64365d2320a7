import Jobs
import Timing

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
    /// The rate of a worker, which is kept while none runs.
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
            // The first look: without jobs, no worker is needed yet. Or the queue's clock was set back, as by a fail-over:
            // then what was needed still is.
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

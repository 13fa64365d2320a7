package import Jobs
import Timing

/// The rule for the number of workers that a queue needs now, so that nearly all jobs are done in time.
///
/// - **Arrivals:** workers for the rate at which jobs arrive, with a reserve, and a worker less only when the others
///   would keep more of it. The rate rises faster than it falls. Jobs that arrive at once are a backlog, and hardly
///   change it.
/// - **Backlog:** for each time ahead, workers that finish the jobs that are due by then. A new worker counts from its
///   start-up time on; jobs that are due before are not a reason to start one.
/// - **Zero** if there is nothing to do, and no job came for the idle time. Otherwise at least one.
/// - **Fast up, slow down:** the number is the highest of the last minutes, so it rises at once, and falls when the need
///   was lower for all this time. The need cannot make it flap.
package struct ScalingRule: Sendable, Equatable {
    /// The time from the decision for a new worker to its first job.
    package var startTime: Duration
    /// The time for which the need must be lower before the number falls.
    package var calmTime: Duration
    /// The time without jobs after which no worker is needed.
    package var idleTime: Duration

    /// The part of the backlog that is to be done in time.
    static let share = 0.99
    /// The parts of a worker's rate that are planned for: arrivals come in bursts, and a backlog is counted.
    static let arrivalPart = 0.8
    static let backlogPart = 0.9
    /// The part of the others' rate that arrivals may need at most before a worker ends. The noise of arrivals is well
    /// within the band between the two parts.
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

    /// Takes a look at the queue: updates `state`, and returns the number of workers and what it is made of.
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

    /// Returns the workers that finish the waiting jobs in time, those that run now among them.
    private func workers(for load: QueueLoad, rate: Double) -> Int {
        let (running, start) = (load.workers.count, startTime / .seconds(1))
        let (rate, leased) = (rate * Self.backlogPart, Double(load.running))
        // Enough running workers stay to finish all leased jobs in this time.
        var most = min(running, Self.whole(leased / (rate * Self.leasedTime)))
        // The jobs that nobody can do in time. They are answered without work.
        var lost = 0.0
        for due in load.due {
            let time = due.within / .seconds(1)
            let jobs = max(0, Double(due.count) - lost) * Self.share
            // The workers finish first what they have leased already.
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

    /// Rounds up. A hundredth above a whole number is no reason for another worker.
    private static func whole(_ number: Double) -> Int {
        Int(exactly: min(max(0, number - 0.01), Double(most)).rounded(.up)) ?? most
    }
}

/// The number of workers that a queue needs, and what it is made of.
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

import Base
package import Jobs

/// A day of a queue and its fleet, simulated second by second: the real rule for the number of workers, an autoscaler
/// that asks for it, and workers that take time to start. The same seed gives the same day.
package struct FleetDay: Sendable {
    package var rule: ScalingRule
    /// The jobs that one worker finishes in a second.
    package var jobsPerSecond: Double
    /// The number of seconds between two questions of the autoscaler.
    package var pollSeconds: Int
    /// The number of seconds until a new worker takes its first job.
    package var startSeconds: Int
    /// The time limit of a job, in seconds.
    package var timeLimit: Int
    /// Jobs that arrive at once, all with a time limit of their own.
    package var campaigns: [Campaign]
    package var seed: UInt64
    /// The mean arrivals per second at a second of the day.
    package var curve: @Sendable (Int) -> Double

    package struct Campaign: Sendable {
        package var second: Int
        package var jobs: Int
        package var timeLimit: Int

        package init(second: Int, jobs: Int, timeLimit: Int) {
            self.second = second
            self.jobs = jobs
            self.timeLimit = timeLimit
        }
    }

    package init(
        rule: ScalingRule = ScalingRule(),
        jobsPerSecond: Double = 4,
        pollSeconds: Int = 15,
        startSeconds: Int = 20,
        timeLimit: Int = 60,
        campaigns: [Campaign] = [],
        seed: UInt64 = 1,
        curve: @escaping @Sendable (Int) -> Double,
    ) {
        self.rule = rule
        self.jobsPerSecond = jobsPerSecond
        self.pollSeconds = pollSeconds
        self.startSeconds = startSeconds
        self.timeLimit = timeLimit
        self.campaigns = campaigns
        self.seed = seed
        self.curve = curve
    }

    package static let seconds = 86_400

    /// A day of a shop: silent at night, most at noon, and a campaign in the evening.
    package static let standard = FleetDay(
        campaigns: [Campaign(second: 20 * 3600 + 1800, jobs: 3000, timeLimit: 300)],
        curve: { second in
            let hour = Double(second) / 3600
            guard hour > 6, hour < 22 else { return 0 }
            // A parabola between six and ten o'clock, with 22 jobs a second at two in the afternoon.
            return 22 * (hour - 6) * (22 - hour) / 64
        },
    )

    /// The state at the end of a minute, and the sums of that minute.
    package struct Minute: Sendable, Equatable {
        package var time: Int
        package var arrivals = 0
        package var backlog = 0
        package var needed = 0
        package var asked = 0
        package var running = 0
        package var late = 0
    }

    package struct Outcome: Sendable, Equatable {
        package var minutes: [Minute] = []
        package var arrived = 0
        package var done = 0
        package var late = 0
        /// The number of jobs that could not be done in time: they came when no worker ran, and were due before one
        /// could start.
        package var hopeless = 0
        /// The numbers of workers that the autoscaler asked for, one after the other.
        package var steps: [Int] = [0]

        /// The number of times that the fleet grew after it shrank, or the reverse.
        package var turns: Int {
            let directions = zip(steps.dropFirst(), steps).map { $0 > $1 }
            return zip(directions.dropFirst(), directions).count { $0 != $1 }
        }
    }

    package func run() -> Outcome {
        var fleet = SimulatedFleet(day: self)
        for second in 0..<Self.seconds { fleet.pass(second) }
        return fleet.outcome
    }
}

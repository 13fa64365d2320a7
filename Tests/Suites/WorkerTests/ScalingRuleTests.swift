import FleetDay
import Testing

@testable import Jobs

@Suite("The number of workers")
struct ScalingRuleTests {
    private static let start = 1_700_000_000_000
    private let rule = ScalingRule(startTime: .seconds(20), calmTime: .seconds(180), idleTime: .seconds(300))
    private var state = ScalingState()

    /// Returns the load at `second` with `count` waiting jobs that are due within a time.
    private func load(
        at second: Int,
        waiting count: Int = 0,
        dueWithin seconds: Int = 60,
        arrived: Int = 0,
        workers: Int = 0,
        rate: Double? = 4,
        running: Int = 0,
    ) -> QueueLoad {
        QueueLoad(
            now: Self.start + second * 1000,
            due: QueueLoad.horizons.map { .init(within: $0, count: $0 >= .seconds(seconds) ? count : 0) },
            waiting: count,
            running: running,
            arrived: arrived,
            workers: [WorkerReport](
                repeating: WorkerReport(slots: 64, running: 0, jobsPerSecond: rate),
                count: workers
            ),
        )
    }

    @Test("nobody is needed where nothing is to be done, and somebody for a single job")
    mutating func zero() {
        #expect(rule.look(at: load(at: 0), &state).workers == 0)
        #expect(rule.look(at: load(at: 5, waiting: 1, arrived: 1), &state).workers == 1)
    }

    @Test("the last worker stays for the idle time after the last job, and no longer")
    mutating func idle() {
        _ = rule.look(at: load(at: 0, waiting: 1, arrived: 1), &state)
        for second in stride(from: 15, to: 300, by: 15) {
            #expect(rule.look(at: load(at: second, arrived: 1, workers: 1), &state).workers == 1)
        }
        #expect(rule.look(at: load(at: 300, arrived: 1, workers: 1), &state).workers == 0)
    }

    @Test(
        "workers stay for what they have leased, also when little or nothing else waits",
        arguments: [(0, 10), (3, 10), (60, 13)],
    )
    mutating func leased(waiting: Int, needed: Int) {
        // Ten workers of 0.2 jobs a second need 400 s for what they have. The others are due in a minute.
        let load = load(at: 0, waiting: waiting, arrived: 900, workers: 10, rate: 0.2, running: 800)
        let answer = rule.look(at: load, &state)
        #expect(answer.forBacklog >= needed, "\(answer)")
    }

    @Test("answers still to be posted need a worker, too")
    mutating func callbacks() {
        var load = load(at: 0)
        load.callbacks = 1
        #expect(rule.look(at: load, &state).workers == 1)
    }

    @Test(
        "a backlog needs the workers that finish it by its deadline, those that must still start counted from then",
        arguments: [
            // Jobs, the time until they are due, the workers that run; 4 jobs a second, planned with 3.6.
            (100, 75, 0, 1), (1000, 75, 0, 5), (1000, 75, 5, 4), (2000, 75, 5, 9), (1000, 300, 0, 1),
            (100_000, 300, 0, 99),
        ]
    )
    mutating func backlog(count: Int, seconds: Int, running: Int, workers: Int) {
        let answer = rule.look(at: load(at: 0, waiting: count, dueWithin: seconds, workers: running, rate: 4), &state)
        #expect(answer.forBacklog == workers)
    }

    @Test("jobs that are due before a new worker could start are not a reason to start many")
    mutating func tooLate() {
        let answer = rule.look(at: load(at: 0, waiting: 10_000, dueWithin: 10), &state)
        #expect(answer.workers == 1)
    }

    @Test("the rate of arrivals needs workers with a reserve")
    mutating func arrivals() {
        var answer: ScalingAnswer?
        for second in stride(from: 0, through: 600, by: 5) {
            answer = rule.look(at: load(at: second, arrived: second * 16, workers: 5), &state)
        }
        #expect(answer?.forArrivals == 5)
        #expect(abs((answer?.arrivalsPerSecond ?? 0) - 16) < 0.1)
    }

    @Test("the number rises at once, and falls when the need was lower for the calm time")
    mutating func hysteresis() {
        _ = rule.look(at: load(at: 0), &state)
        #expect(rule.look(at: load(at: 5, waiting: 1000, dueWithin: 75, arrived: 0), &state).workers == 5)
        for second in stride(from: 10, to: 185, by: 5) {
            #expect(rule.look(at: load(at: second, waiting: 1, workers: 5), &state).workers == 5)
        }
        #expect(rule.look(at: load(at: 185, waiting: 1, workers: 5), &state).workers == 1)
    }

    @Test("what the rule remembers is the same after it was stored, and other text is not taken for it")
    mutating func stored() throws {
        for second in 0..<400 {
            let waiting = (second * 7919) % 3000
            _ = rule.look(at: load(at: second * 5, waiting: waiting, arrived: second * 9, workers: 2), &state)
            #expect(ScalingState(state.text) == state)
        }
        #expect(state.needs.count <= 64)
        for text in [
            "", "1", "2 0 0 0 0 0 0", "1 x 0 0 0 0 0", "1 0 0 0 nan 0 0", "1 0 0 0 1 1 0 5", "1 0 0 0 1 1 0 5 -1",
        ] {
            #expect(ScalingState(text) == nil, "\(text)")
        }
    }

    @Test(
        "numbers of other programs, and a clock that is set back, do no harm",
        arguments: [Int.max, Int.min + 1, 0, 1 << 52]
    )
    mutating func senseless(number: Int) {
        _ = rule.look(at: load(at: 0, waiting: 5, arrived: 5), &state)
        for now in [Self.start + 1, Self.start - 100_000, Self.start + 100_000] {
            var load = load(at: 0, waiting: 5, workers: 1)
            (load.now, load.arrived) = (now, max(0, number))
            #expect((1...10_000).contains(rule.look(at: load, &state).workers))
        }
    }

    @Test("a day from 0 to 8 to 0 workers: nothing is late that could have been done, and the fleet does not flap")
    func day() {
        let outcome = FleetDay.standard.run()
        #expect(outcome.arrived > 500_000)
        #expect(outcome.late == 0 && outcome.done == outcome.arrived)
        #expect(outcome.minutes.map(\.running).max() == 8)
        #expect(outcome.minutes.first?.running == 0 && outcome.minutes.last?.running == 0)
        // Up to noon, down, up for the campaign, and down.
        #expect(outcome.turns <= 7, "\(outcome.steps)")
        #expect(outcome == FleetDay.standard.run())
    }

    @Test("with deadlines shorter than the start of a worker, only jobs that found none are late", arguments: 1...3)
    func shortDeadlines(seed: Int) {
        var day = FleetDay.standard
        (day.timeLimit, day.seed) = (25, UInt64(seed))
        let outcome = day.run()
        #expect(outcome.hopeless > 0 && outcome.late <= outcome.hopeless)
        #expect(outcome.turns <= 7, "\(outcome.steps)")
    }
}

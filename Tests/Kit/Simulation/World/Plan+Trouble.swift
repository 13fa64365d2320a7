import Base
import Jobs

/// The trouble of every second plan. Plans whose parts are drawn one by one seldom have it, because it takes several faults one
/// after the other, or many jobs of a kind.
enum Trouble: CaseIterable {
    /// One tenant has many urgent jobs, and others have a few with more time.
    case crowd
    /// Pictures that need nearly all memory of the decoders come together.
    case memory
    /// Origins fail until circuit breakers open. Then they answer in ways that say little, and work again.
    case origins
    /// Workers with waiting jobs are told to stop.
    case drains
    /// Workers are killed twice while they have the same jobs, which then run alone.
    case kills
    /// Workers stand still until others have their jobs, and then go on.
    case stops
    /// The queue is slow or gone while many jobs are due soon.
    case queue
    /// Sources are taken back while jobs use them, and workers are cut off, killed or stopped.
    case forgets
}

extension Plan {
    /// Makes the plan of a seed with that trouble.
    init(seed: UInt64, _ trouble: Trouble, random: inout SplitMix) {
        let recovers = Self.pick([true, false, false, false], &random)
        self.init(seed: seed, workers: [], tasks: [], faults: [], triesRecovery: recovers)
        switch trouble {
        case .crowd: crowd(&random)
        case .memory: fillMemory(&random)
        case .origins: failOrigins(&random)
        case .drains: drain(&random)
        case .kills: killTwice(&random)
        case .stops: stop(&random)
        case .queue: disturbQueue(&random)
        case .forgets: takeBack(&random)
        }
        for _ in 0..<Self.pick([0, 0, 1, 2], &random) {
            faults.append(Fault(within: .seconds(10), workers: workers.count, random: &random))
        }
    }

    private mutating func crowd(_ random: inout SplitMix) {
        addWorkers(Self.pick([1, 1, 2], &random), slots: [1, 2], &random)
        let count = Int.random(in: 36...48, using: &random)
        addJobs(count, of: ["default"], .zero...(.seconds(1)), limit: .seconds(9)...(.seconds(14)), &random)
        let others = Self.pick([["acme"], ["acme"], ["acme", "bolt"]], &random)
        addJobs(others.count * 2, of: others, .zero...(.seconds(1)), limit: .seconds(18)...(.seconds(25)), &random)
        for index in tasks.indices { tasks[index].source.content = .jpeg }
    }

    private mutating func fillMemory(_ random: inout SplitMix) {
        addWorkers(Self.pick([1, 1, 2], &random), slots: [4, 16], &random)
        for index in workers.indices { (workers[index].decoders, workers[index].spares) = (4, 4) }
        (triesRecovery, recoversWithLarge) = (true, true)
        for burst in 0..<Int.random(in: 1...3, using: &random) {
            let start = Duration.seconds(4) * burst
            addJobs(8, of: ["default", "acme"], start...start, limit: .seconds(8)...(.seconds(25)), &random)
        }
        for index in tasks.indices {
            tasks[index].source = Source(large: index, origin: tasks[index].source.origin)
        }
    }

    private mutating func failOrigins(_ random: inout SplitMix) {
        addWorkers(Self.pick([1, 1, 2], &random), slots: [4, 16], &random)
        let worst = Int.random(in: 0..<4, using: &random)
        let limits = [Duration.milliseconds(300)...(.seconds(1)), .seconds(2)...(.seconds(8))]
        for burst in 0..<Int.random(in: 10...16, using: &random) {
            let start = Duration.seconds(2) * burst
            addJobs(4, of: ["default", "acme"], start...start, limit: Self.pick(limits, &random), from: worst, &random)
        }
        addJobs(8, of: ["bolt"], .zero...(.seconds(20)), limit: .seconds(1)...(.seconds(5)), &random)
        var start = Duration.random(in: .zero...(.seconds(3)), using: &random)
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let kinds: [[Faults.Origin]] = [[.fails, .unreachable], [.busy, .resets, .announcesMore, .slow, .stalls]]
            for kind in kinds {
                let length = Duration.random(in: .seconds(2)...(.seconds(8)), using: &random)
                faults.append(Fault(kind: .origin(worst, Self.pick(kind, &random)), start: start, length: length))
                start += length
            }
        }
    }

    private mutating func drain(_ random: inout SplitMix) {
        addWorkers(2, slots: [1, 2], &random)
        let count = Int.random(in: 20...36, using: &random)
        let tenants = ["default", "acme", "bolt"]
        addJobs(count, of: tenants, .zero...(.seconds(6)), limit: .seconds(4)...(.seconds(25)), &random)
        for number in 0..<Int.random(in: 2...4, using: &random) {
            let worker = Int.random(in: 0..<2, using: &random)
            let start = Duration.random(in: .milliseconds(200)...(.seconds(3)), using: &random) + .seconds(2) * number
            let length = Duration.random(in: .milliseconds(10)...(.seconds(2)), using: &random)
            let kinds: [Fault.Kind] = [.drained(worker: worker), .drainedTwice(worker: worker)]
            faults.append(Fault(kind: Self.pick(kinds, &random), start: start, length: length))
        }
    }

    private mutating func killTwice(_ random: inout SplitMix) {
        addWorkers(Self.pick([1, 2], &random), slots: [4, 16], &random)
        addSlowJobs(Int.random(in: 2...5, using: &random), stalledFor: .seconds(8), &random)
        // The second death comes when the leases of the first are over, and the jobs have begun again.
        for start in [Duration.milliseconds(1500), .milliseconds(6800)] {
            for worker in workers.indices {
                let length = Duration.random(in: .milliseconds(50)...(.milliseconds(500)), using: &random)
                faults.append(Fault(kind: .killed(worker: worker, losesPower: false), start: start, length: length))
            }
        }
        let others = Int.random(in: 8...16, using: &random)
        let later = Duration.seconds(2)...(.seconds(18))
        addJobs(others, of: ["default", "acme"], later, limit: .seconds(4)...(.seconds(12)), &random)
    }

    private mutating func stop(_ random: inout SplitMix) {
        addWorkers(2, slots: [2, 4, 16], &random)
        addSlowJobs(Int.random(in: 4...8, using: &random), stalledFor: .seconds(14), &random)
        var start = Duration.milliseconds(1500)
        for worker in workers.indices {
            // Longer than a lease.
            let length = Duration.random(in: .seconds(4)...(.seconds(7)), using: &random)
            faults.append(Fault(kind: .stopped(worker: worker), start: start, length: length))
            start += length + .milliseconds(500)
        }
        addJobs(8, of: ["acme"], .seconds(2)...(.seconds(18)), limit: .seconds(2)...(.seconds(10)), &random)
    }

    private mutating func disturbQueue(_ random: inout SplitMix) {
        addWorkers(Self.pick([1, 2], &random), slots: [2, 4, 16], &random)
        var start = Duration.random(in: .zero...(.seconds(2)), using: &random)
        for _ in 0..<3 {
            addJobs(8, of: ["default", "acme"], start...start, limit: .seconds(1)...(.seconds(5)), &random)
            let length = Duration.random(in: .seconds(1)...(.seconds(6)), using: &random)
            let kinds = Faults.Queue.allCases.map(Fault.Kind.queue) + [.queueDown, .queue(.late)]
            let pause = Duration.random(in: .zero...(.milliseconds(200)), using: &random)
            faults.append(Fault(kind: Self.pick(kinds, &random), start: start + pause, length: length))
            start += length + .milliseconds(500)
        }
    }

    private mutating func takeBack(_ random: inout SplitMix) {
        addWorkers(Self.pick([2, 2, 3], &random), slots: [4, 16], &random)
        let span = Duration.seconds(18)
        addJobs(64, of: ["default", "acme"], .zero...span, limit: .seconds(1)...(.seconds(6)), &random)
        let sources = (0..<6).map { Source(origin: $0 % 4, content: .jpeg, number: $0, byteCount: 4000) }
        for index in tasks.indices { tasks[index].source = Self.pick(sources, &random) }
        addForgets(Int.random(in: 4...8, using: &random), within: span, &random)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let worker = Int.random(in: workers.indices, using: &random)
            let kinds: [Fault.Kind] = [
                .cutOff(worker: worker), .cutOff(worker: worker), .stopped(worker: worker),
                .stopped(worker: worker), .killed(worker: worker, losesPower: false),
                .disk(worker: worker, .slow), .origin(worker, .slow), .origin(worker + 1, .slow), .queue(.late),
                .queue(.answerLost),
            ]
            let start = Duration.random(in: .milliseconds(100)...span, using: &random)
            let length = Duration.random(in: .seconds(1)...(.seconds(7)), using: &random)
            faults.append(Fault(kind: Self.pick(kinds, &random), start: start, length: length))
        }
    }

    /// Adds jobs that are in progress for long, because their origin stalls.
    private mutating func addSlowJobs(_ count: Int, stalledFor length: Duration, _ random: inout SplitMix) {
        let origin = Int.random(in: 0..<4, using: &random)
        faults.append(Fault(kind: .origin(origin, .stalls), start: .zero, length: length))
        let first = Duration.milliseconds(200)...(.seconds(1))
        addJobs(count, of: ["default"], first, limit: .seconds(18)...(.seconds(25)), from: origin, &random)
    }

    private mutating func addWorkers(_ count: Int, slots: [Int], _ random: inout SplitMix) {
        for _ in 0..<count {
            var worker = Worker(random: &random)
            worker.slots = Self.pick(slots, &random)
            workers.append(worker)
        }
    }

    /// Adds jobs that arrive at a time in `range`, each with a source of its own.
    private mutating func addJobs(
        _ count: Int,
        of tenants: [String],
        _ range: ClosedRange<Duration>,
        limit: ClosedRange<Duration>,
        from origin: Int? = nil,
        _ random: inout SplitMix,
    ) {
        for _ in 0..<count {
            let number = tasks.count
            var source = Source(number: number, random: &random)
            source.origin = origin ?? source.origin
            if source.content == .deadly { source.content = .jpeg }
            var task = Task(
                id: "j\(number)",
                at: .random(in: range, using: &random),
                tenant: Self.pick(tenants, &random),
                priority: .high,
                timeLimit: .random(in: limit, using: &random),
                source: source,
            )
            task.hasCallback = Bool.random(using: &random)
            tasks.append(task)
        }
    }
}

import Base
import Jobs

extension Plan {
    /// Makes the plan of a seed: quiet or stormy, small or crowded, with one worker or a few. Every second has a trouble.
    init(seed: UInt64) {
        var random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        if seed % 2 == 1 {
            let trouble = Trouble.allCases[Int(seed / 2 % UInt64(Trouble.allCases.count))]
            self.init(seed: seed, trouble, random: &random)
            return
        }
        let workers = (0..<Self.pick([1, 1, 2, 2, 3], &random)).map { _ in Worker(random: &random) }
        let span = Self.pick([Duration.seconds(2), .seconds(5), .seconds(15), .seconds(30)], &random)
        let sources = (0..<Int.random(in: 1...8, using: &random)).map { Source(number: $0, random: &random) }
        let tenants = ["default", "acme", "bolt", "core"].prefix(Int.random(in: 1...4, using: &random))
        let count = Self.pick([2, 4, 8, 16, 32], &random)
        let tasks = (0..<count).map { number in
            Task(number: number, within: span, sources, Array(tenants), random: &random)
        }
        let faults = (0..<Self.pick([0, 1, 1, 2, 3, 5], &random)).map { _ in
            Fault(within: span + .seconds(4), workers: workers.count, random: &random)
        }
        // These jobs take longer than an average run.
        self.init(seed: seed, workers: workers, tasks: tasks, faults: faults, triesRecovery: seed % 4 == 0)
        addForgets(Self.pick([0, 0, 1, 2], &random), within: span, &random)
    }

    /// Adds deletions of sources that jobs have.
    mutating func addForgets(_ count: Int, within span: Duration, _ random: inout SplitMix) {
        for _ in 0..<count {
            forgets.append(
                Forget(
                    at: .random(in: .zero...span, using: &random),
                    source: Self.pick(tasks, &random).source,
                    namesFile: Int.random(in: 0..<4, using: &random) == 0,
                )
            )
        }
    }

    static func pick<Value>(_ values: [Value], _ random: inout SplitMix) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}

extension Duration {
    /// Returns a time in that range, in whole microseconds.
    static func random(in range: ClosedRange<Duration>, using random: inout SplitMix) -> Duration {
        let (lower, upper) = (range.lowerBound / .microseconds(1), range.upperBound / .microseconds(1))
        return .microseconds(Double.random(in: lower...upper, using: &random).rounded())
    }
}

extension Plan.Worker {
    init(random: inout SplitMix) {
        clock = MachineClock(
            offset: .random(in: .seconds(1)...(.seconds(100_000)), using: &random),
            drift: Int.random(in: -200...200, using: &random),
        )
        slots = Plan.pick([1, 2, 4, 16, 64], &random)
        decoders = Plan.pick([1, 2, 2, 4], &random)
        spares = Plan.pick([1, 2, 4], &random)
    }
}

extension Source {
    init(number: Int, random: inout SplitMix) {
        let usual: [Content] = [.jpeg, .jpeg, .jpeg, .jpeg, .png, .gif, .mp4, .personal]
        let isOdd = Int.random(in: 0..<6, using: &random) == 0
        // A source that kills workers is rare: it takes its run over.
        let odd: [Content] = Int.random(in: 0..<16, using: &random) == 0 ? [.deadly] : [.junk, .crash, .endless, .lie]
        self.init(
            origin: Int.random(in: 0..<4, using: &random),
            content: Plan.pick(isOdd ? odd : usual, &random),
            number: number,
            byteCount: Plan.pick([600, 4000, 20_000], &random),
        )
    }
}

extension Plan.Task {
    fileprivate init(
        number: Int,
        within span: Duration,
        _ sources: [Source],
        _ tenants: [String],
        random: inout SplitMix,
    ) {
        let limits: [ClosedRange<Duration>] = [
            .milliseconds(30)...(.milliseconds(300)), .milliseconds(300)...(.seconds(2)), .seconds(2)...(.seconds(8)),
            .seconds(8)...(.seconds(25)),
        ]
        // Some arrive together.
        let slot = Int.random(in: 0..<8, using: &random)
        let isInBurst = Bool.random(using: &random)
        self.init(
            id: "j\(number)",
            at: isInBurst ? span * slot / 8 : .random(in: .zero...span, using: &random),
            tenant: Plan.pick(tenants, &random),
            priority: Int.random(in: 0..<4, using: &random) == 0 ? .low : .high,
            timeLimit: .random(in: Plan.pick(limits, &random), using: &random),
            source: Plan.pick(sources, &random),
            profile: Plan.pick([nil, nil, "fcm", "webpush"], &random),
        )
        hasCallback = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<8, using: &random) == 0 {
            again = .random(in: .zero...(.seconds(3)), using: &random)
        }
        if Int.random(in: 0..<16, using: &random) == 0 {
            cancelled = .random(in: .zero...(.milliseconds(500)), using: &random)
        }
    }
}

extension Fault {
    init(within span: Duration, workers: Int, random: inout SplitMix) {
        let worker = Int.random(in: 0..<workers, using: &random)
        let start = Duration.random(in: .zero...span, using: &random)
        let short = Duration.random(in: .milliseconds(10)...(.seconds(2)), using: &random)
        let long = Duration.random(in: .milliseconds(500)...(.seconds(12)), using: &random)
        switch Int.random(in: 0..<13, using: &random) {
        case 0, 1: self.init(kind: .killed(worker: worker, losesPower: false), start: start, length: short)
        case 2: self.init(kind: .killed(worker: worker, losesPower: true), start: start, length: short)
        case 3: self.init(kind: .stopped(worker: worker), start: start, length: long)
        case 4: self.init(kind: .drained(worker: worker), start: start, length: short)
        case 5: self.init(kind: .queueDown, start: start, length: short)
        case 6, 7:
            self.init(kind: .queue(Plan.pick(Faults.Queue.allCases, &random)), start: start, length: long)
        case 8:
            let origin = Int.random(in: 0..<4, using: &random)
            self.init(kind: .origin(origin, Plan.pick(Faults.Origin.allCases, &random)), start: start, length: long)
        case 9:
            self.init(kind: .disk(worker: worker, Plan.pick(Faults.Disk.allCases, &random)), start: start, length: long)
        case 10: self.init(kind: .decoders(Plan.pick(Faults.Decoder.allCases, &random)), start: start, length: long)
        case 11:
            self.init(kind: .callbacks(Plan.pick(Faults.Callback.allCases, &random)), start: start, length: long)
        default:
            // A worker begins once it has asked, or could not.
            self.init(kind: .cutOff(worker: worker), start: start + .milliseconds(100), length: long)
        }
    }
}

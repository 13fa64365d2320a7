package import Base
import FoundationEssentials
import Media

/// A load test, from its warm-up to its result.
package struct LoadRun: Sendable {
    /// The distance between the first numbers of two steps. Fixed numbers make the steps of two runs equal.
    private static let numbers = 10_000_000

    package var rates: [Rate]
    /// The duration of each step.
    package var duration: Duration
    package var arrivals = ArrivalSchedule.Arrivals.poisson
    package var mix: NotificationMix
    /// The duration of the warm-up before the first step. A few clients send one notification after the other, which
    /// measures the capacity.
    package var warmUp: Duration
    package var clients: Int
    package var budgets: [Budget] = []
    package var memory: ResidentMemory?
    /// The name of the target in the result.
    package var targetName: String
    /// The settings that this run does not know itself, such as those of the target.
    package var settings = RunSettings()
    /// Receives lines about the progress.
    package var report: @Sendable (String) -> Void = { _ in }

    package init(
        rates: [Rate],
        duration: Duration,
        mix: NotificationMix,
        warmUp: Duration,
        clients: Int,
        targetName: String
    ) {
        self.rates = rates
        self.duration = duration
        self.mix = mix
        self.warmUp = warmUp
        self.clients = clients
        self.targetName = targetName
    }

    /// Runs the steps and returns the result, judged by the budgets. Throws if nothing could be measured.
    package func run(_ target: any LoadTarget, time: any TimeSource) async throws -> LoadResult {
        let generator = LoadGenerator(target, mix, time: time)
        let started = Date()
        var capacity: LoadResult.Capacity?
        if warmUp > .zero {
            let measured = await generator.capacity(clients: clients, duration: warmUp, from: 0)
            capacity = .init(perSecond: measured, clients: clients, seconds: warmUp / .seconds(1))
            report("warm-up: \(clients) clients got \(measured.brief) useful answers a second")
        }
        if rates.contains(where: \.needsCapacity), capacity.map({ $0.perSecond <= 0 }) ?? true {
            throw LoadTestError.failure(
                "The capacity could not be measured: no notification got an attachment during the warm-up. "
                    + "See the target's log, and give a --warm-up of some seconds."
            )
        }
        var steps: [StepResult] = []
        for (index, rate) in rates.enumerated() {
            try Task.checkCancellation()
            steps.append(try await step(rate, capacity?.perSecond ?? 0, generator, (index + 1) * Self.numbers, time))
        }
        var result = LoadResult(
            started: started,
            target: targetName,
            arrivals: arrivals,
            mix: mix,
            capacity: capacity,
            steps: steps,
        )
        result.settings = allSettings
        result.judge(budgets)
        return result
    }

    private func step(
        _ rate: Rate,
        _ capacity: Double,
        _ generator: LoadGenerator,
        _ number: Int,
        _ time: any TimeSource,
    ) async throws -> StepResult {
        let perSecond = rate.perSecond(capacity)
        let record = StepRecord(
            label: rate.label,
            rate: perSecond,
            duration: duration,
            percentiles: Set(budgets.compactMap(\.percentile)),
        )
        let schedule = ArrivalSchedule(arrivals, rate: perSecond, duration: duration, seed: mix.seed &+ UInt64(number))
        await withTaskGroup { group in
            if let memory { group.addTask { await memory.watch(record, time: time) } }
            await generator.run(schedule, from: number, into: record)
            group.cancelAll()
        }
        guard let result = record.result else {
            throw LoadTestError.failure(
                "Nothing was due within \(duration.inMilliseconds.asMilliseconds): raise --rate or --duration."
            )
        }
        report(result.line)
        return result
    }
}

extension LoadRun {
    /// The settings that this run itself knows, with those that the caller added.
    package var allSettings: RunSettings {
        var all = RunSettings()
        all["--duration"] = duration.inMilliseconds.asMilliseconds
        all["--deadline"] = mix.deadline.inMilliseconds.asMilliseconds
        all["--arrivals"] = arrivals.rawValue
        all["--same-sources"] = mix.isUnique ? nil : "on"
        all["--profile"] = mix.profile
        all.record(digestOf: mix.payloads.map { "\($0.weight):\($0.value)" }, as: "--payload")
        if rates.contains(where: \.needsCapacity) {
            all["--warm-up"] = warmUp.inMilliseconds.asMilliseconds
            all["--clients"] = "\(clients)"
        }
        all.merge(settings)
        return all
    }
}

// MARK: - The generator

/// A generator that sends notifications when they are due, however many are under way, and records the answers.
package struct LoadGenerator: Sendable {
    /// The time for which it waits after a deadline, to tell a late answer from a missing one.
    private static let answerGrace = Duration.seconds(1)

    private let target: any LoadTarget
    private let mix: NotificationMix
    private let time: any TimeSource

    package init(_ target: any LoadTarget, _ mix: NotificationMix, time: any TimeSource) {
        self.target = target
        self.mix = mix
        self.time = time
    }

    /// Runs a whole schedule, and returns when every notification is answered or given up. `number` is the first one's
    /// number.
    package func run(_ schedule: ArrivalSchedule, from number: Int, into record: StepRecord) async {
        let start = time.now
        record.begin(at: start)
        await withDiscardingTaskGroup { group in
            for (index, offset) in schedule.enumerated() {
                let due = start + offset
                let notification = mix.notification(number + index, due: due)
                if due > time.now {
                    do { try await time.sleep(until: due) } catch { return group.cancelAll() }
                }
                group.addTask {
                    record.add(await answer(to: notification), to: notification)
                }
            }
        }
    }

    /// Returns the capacity, in useful answers a second. Each of the `clients` waits for its answer before it sends the
    /// next notification.
    package func capacity(clients: Int, duration: Duration, from number: Int) async -> Double {
        let start = time.now
        let end = start + duration
        let useful = await withTaskGroup(of: Int.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var useful = 0
                    var sent = 0
                    while time.now < end, !Task.isCancelled {
                        let number = number + client + sent * clients
                        let answer = await answer(to: mix.notification(number, due: time.now))
                        sent += 1
                        // Answers after the end would add work that was done outside of the measured time.
                        guard answer.answered <= end else { break }
                        useful += answer.outcome.isUseful ? 1 : 0
                    }
                    return useful
                }
            }
            return await group.reduce(0, +)
        }
        return Double(useful) / (duration / .seconds(1))
    }

    private func answer(to notification: LoadNotification) async -> LoadAnswer {
        await target.send(notification, until: notification.due + notification.deadline + Self.answerGrace)
    }
}

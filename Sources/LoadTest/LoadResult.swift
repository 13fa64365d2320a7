package import Foundation

/// A whole load test, as `--json` writes it and `--compare` reads it. Times are milliseconds, sizes bytes.
package struct LoadResult: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        /// Every budget was kept.
        case passed
        /// Some budget was not, or a percentile got worse.
        case missed
        /// The generator could not keep up: its figures say nothing.
        case void
        /// There were no budgets.
        case measured
    }

    package struct Capacity: Sendable, Codable, Equatable {
        /// Useful answers.
        package var perSecond: Double
        /// How many were under way at once while it was measured.
        package var clients: Int
        package var seconds: Double

        package init(perSecond: Double, clients: Int, seconds: Double) {
            self.perSecond = perSecond
            self.clients = clients
            self.seconds = seconds
        }
    }

    package var version = 1
    package var started: Date
    package var target: String
    package var arrivals: Schedule.Arrivals
    package var seed: UInt64
    package var deadline: Double
    /// Whether each notification had a source URL of its own.
    package var uniqueSources: Bool
    package var capacity: Capacity?
    package var steps: [StepResult]
    package var judgements: [Judgement] = []
    package var changes: [Change] = []
    /// Why the run is void.
    package var voidReasons: [String] = []

    package init(
        started: Date,
        target: String,
        arrivals: Schedule.Arrivals,
        mix: NotificationMix,
        capacity: Capacity?,
        steps: [StepResult],
    ) {
        self.started = started
        self.target = target
        self.arrivals = arrivals
        seed = mix.seed
        deadline = mix.deadline.inMilliseconds
        uniqueSources = mix.isUnique
        self.capacity = capacity
        self.steps = steps
    }

    package var verdict: Verdict {
        if !voidReasons.isEmpty { return .void }
        if judgements.contains(where: { $0.verdict == .missed }) || changes.contains(where: \.isWorse) {
            return .missed
        }
        return judgements.isEmpty && changes.isEmpty ? .measured : .passed
    }

    /// Judges every step by every budget that is for it, and says whether the generator lets anything be judged.
    package mutating func judge(_ budgets: [Budget]) {
        judgements = budgets.flatMap { budget in
            steps.filter { budget.step == nil || budget.step == $0.label }.map { budget.judge($0) }
        }
        voidReasons = judgements.filter { $0.verdict == .void || $0.verdict == .unmeasured }
            .map { "\($0.budget) at \($0.step): \($0.message)" }
        voidReasons += steps.compactMap(\.shortfall)
    }
}

extension StepResult {
    /// A generator that sends less than it should makes a target look better than it is.
    private static let leastShare = 0.99

    var shortfall: String? {
        // What a schedule of this seed really has, not its mean.
        let due = Double(sent) / seconds
        guard generator.sendRate < Self.leastShare * due else { return nil }
        return "at \(label) the generator sent \(generator.sendRate.brief) of \(due.brief) notifications a second"
    }
}

extension LoadResult {
    package var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }

    package init(json: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(LoadResult.self, from: json)
    }
}

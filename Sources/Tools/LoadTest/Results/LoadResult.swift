package import FoundationEssentials
import Payloads

/// The result of a load test, as `--json` writes it and `--compare` reads it. Times are in milliseconds, sizes in
/// bytes.
package struct LoadResult: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        /// Every budget was kept.
        case passed
        /// A budget was missed, or a percentile is worse than before.
        case missed
        /// The generator could not keep up, so the figures are not valid.
        case void
        /// There were no budgets.
        case measured
        /// No notification was answered.
        case failed
    }

    package struct Capacity: Sendable, Codable, Equatable {
        /// The number of useful answers a second.
        package var perSecond: Double
        /// The number of clients that sent at the same time during the measurement.
        package var clients: Int
        package var seconds: Double
    }

    package var version = 1
    package var started: Date
    package var target: String
    package var arrivals: ArrivalSchedule.Arrivals
    package var seed: UInt64
    package var deadline: Double
    /// A Boolean value that indicates whether each notification had its own source URL.
    package var uniqueSources: Bool
    /// The settings that another run must have in common; `nil` in a result of an older version.
    package var settings: RunSettings?
    package var capacity: Capacity?
    package var steps: [StepResult]
    package var judgements: [Judgement] = []
    package var changes: [Change] = []
    /// The reasons why the run is void.
    package var voidReasons: [String] = []

    package init(
        started: Date,
        target: String,
        arrivals: ArrivalSchedule.Arrivals,
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
        if steps.allSatisfy({ $0.deliveredCount == 0 }) { return .failed }
        return judgements.isEmpty && changes.isEmpty ? .measured : .passed
    }

    /// The sentence for a run in which nothing was delivered, with the most frequent reason.
    package var failure: String {
        let what =
            steps.contains(where: \.hasAnswers) ? "No notification got an attachment" : "No notification was answered"
        return what + (mainReason.map { ": \($0)" } ?? "")
    }

    /// The most frequent reason why a notification was not answered.
    package var mainReason: String? {
        steps.flatMap(\.reasons).max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Judges every step by the budgets that apply to it, unless the generator fell behind.
    package mutating func judge(_ budgets: [Budget]) {
        judgements = budgets.flatMap { budget in
            steps.filter { budget.step == nil || budget.step == $0.label }.map { budget.judge($0) }
        }
        voidReasons = judgements.filter { [.void, .unmeasured, .unclear].contains($0.verdict) }
            .map { "\($0.budget) at \($0.step): \($0.message)" }
        voidReasons += steps.compactMap(\.shortfall)
    }
}

extension StepResult {
    /// The largest growth of the generator's lateness, as a share of the step's duration. A generator that sends too
    /// little makes a target look better than it is. One that falls behind steadily, and has sent one in a hundred too
    /// few at the end, grows later by half of that during the middle half of the time.
    private static let greatestGrowth = 0.005

    var shortfall: String? {
        let growth = generator.lateness.value(at: 75) - generator.lateness.value(at: 25)
        guard growth > Self.greatestGrowth * seconds * 1000 else { return nil }
        return "at \(label) the generator fell behind its schedule, by \(growth.asMilliseconds) in half of the time"
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

    /// Reads the output of `--json`. Throws for impossible numbers, because they go into plots and further arithmetic.
    package init(json: Data) throws {
        try Self.check(try JSONValue(parsing: [UInt8](json)))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(LoadResult.self, from: json)
        guard steps.allSatisfy({ $0.sent > 0 }) else {
            throw LoadTestError.failure("a step of the result has no notifications")
        }
    }

    private static let largest = 1e15

    private static func check(_ value: JSONValue, named name: String = "") throws(LoadTestError) {
        switch value {
        case .array(let elements): for element in elements { try check(element, named: name) }
        case .object(let members): for member in members { try check(member.value, named: member.key) }
        // A seed may have any 64 bits.
        case .number where name == "seed": break
        case .number:
            guard let number = value.double, abs(number) <= largest else {
                throw LoadTestError.failure("\"\(name)\" of the result has an impossible value")
            }
        case .null, .bool, .string, .unpaired: break
        }
    }
}

// MARK: - The settings of the run

/// The settings of a run that its figures depend on, by the names of their options. Runs are compared only if they agree.
package struct RunSettings: Sendable, Codable, Equatable {
    package private(set) var values: [String: String] = [:]

    package init() {}

    package subscript(option: String) -> String? {
        get { values[option] }
        set { values[option] = newValue }
    }

    /// Records a setting by a digest: it is long, or may hold a secret, such as a URL with a signature.
    package mutating func record(digestOf texts: [String], as option: String) {
        // FNV-1a, whose value is the same in every process.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in texts.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        values[option] = Self.mark + String(hash, radix: 16)
    }

    package mutating func merge(_ other: RunSettings) { values.merge(other.values) { _, new in new } }

    /// Throws if an older run has other settings.
    package func checkEqual(to old: RunSettings) throws(LoadTestError) { try Self.check(differences(from: old)) }

    /// Throws if there are differences.
    static func check(_ differences: [String]) throws(LoadTestError) {
        guard !differences.isEmpty else { return }
        throw .failure(
            "The older result has other settings: \(differences.joined(separator: ", ")). Compare runs with the same "
                + "settings, or write a new result with --json."
        )
    }

    /// Returns the settings in which an older run differs, as text.
    private func differences(from old: RunSettings) -> [String] {
        Set(values.keys).union(old.values.keys).sorted().compactMap { option in
            let (before, after) = (old[option], self[option])
            guard before != after else { return nil }
            guard [before, after].allSatisfy({ $0?.hasPrefix(Self.mark) != true }) else { return option }
            return "\(option) (\(before ?? "none") then, \(after ?? "none") now)"
        }
    }

    private static let mark = "digest "

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: String].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}

// MARK: - Errors

/// The reason why a load test did not run, or has no meaningful result.
package struct LoadTestError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The arguments are not valid.
        case usage
        /// The load test could not be carried out.
        case failure
    }

    package var kind: Kind
    package var description: String

    package static func usage(_ message: String) -> LoadTestError { .init(kind: .usage, description: message) }
    package static func failure(_ message: String) -> LoadTestError { .init(kind: .failure, description: message) }
}

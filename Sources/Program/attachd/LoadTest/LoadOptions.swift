import ArgumentParser
import Base
import Foundation
import LoadTest
import Media

/// The options of the load: notifications, rates and arrivals.
struct LoadOptions: ParsableArguments {
    @Option(
        help: "Notifications per second: 50, 1.5x the measured capacity, a ramp 0.5x..3x, or a list with commas."
    )
    var rate = "10"
    @Option(help: "The duration of each step of the load.")
    var duration = "30s"
    @Option(help: "The arrivals of notifications: poisson (random, as from many senders) or fixed (at even intervals).")
    var arrivals = ArrivalSchedule.Arrivals.poisson
    @Option(help: "The duration of the warm-up, in which --clients send in closed loops to measure the capacity.")
    var warmUp = "5s"
    @Option(help: "The number of clients in the warm-up. (default: four for each core)")
    var clients: Int?
    @Option(help: "The deadline of each notification.")
    var deadline = "5s"
    @Option(
        help: "The profile of the attachments, such as fcm. (default: the target's)",
        completion: .list(Profile.builtIn.map(\.name))
    )
    var profile: String?
    @Option(
        help: "A payload, as WEIGHT:FILE or FILE. {n}, {id} and {media} in it are replaced. May be repeated.",
        completion: .file()
    )
    var payload: [String] = []
    @Option(
        help: "Media for the target to fetch, as WEIGHT:URL or URL, with --allow-address if needed; may be repeated."
    )
    var source: [String] = []
    @Flag(help: "Let notifications share source URLs, so that the target can reuse attachments.")
    var sameSources = false
    @Option(help: "The seed of the random choice of arrivals, payloads and media.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...10_000).contains(clients ?? 1) else { throw ValidationError("--clients must be from 1 to 10000.") }
    }

    func run(sources: [Weighted<String>], targetName: String) throws -> LoadRun {
        var mix = NotificationMix(sources: sources, deadline: try Self.duration(deadline, "--deadline"))
        mix.isUnique = !sameSources
        mix.profile = profile
        mix.seed = seed
        if !payload.isEmpty { mix.payloads = try payload.map { try Weighted(text: $0).map(Self.template) } }
        var run = LoadRun(
            rates: try Rate.steps(rate),
            duration: try Self.duration(duration, "--duration"),
            mix: mix,
            warmUp: try Self.duration(warmUp, "--warm-up"),
            clients: clients ?? MachineLimits.ofThisProcess.processorCount * 4,
            targetName: targetName,
        )
        run.arrivals = arrivals
        return run
    }

    /// The settings of the load that are not in the run itself.
    var settings: RunSettings {
        var settings = RunSettings()
        settings.record(digestOf: source, as: "--source")
        return settings
    }

    private static func duration(_ text: String, _ option: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw LoadTestError.usage("\(option) \(text) is not a duration. Write it as 800ms or 20s.")
        }
        return duration
    }

    private static func template(_ path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.inputNotFound, "\(path) cannot be read. Check its name and permissions.")
        }
        guard text.contains("{media}") else {
            throw CommandError(.badInput, "\(path) has no {media}. Write it in place of the attachment's URL.")
        }
        return text
    }
}

extension ArrivalSchedule.Arrivals: ExpressibleByArgument {}

// MARK: - Budgets and reports

/// The options for the budgets and the reports of a load test.
struct ReportOptions: ParsableArguments {
    @Option(help: "A budget, such as 'p99<1.8s', 'late=0' or 'degraded<5%'; may be repeated.")
    var budget: [String] = []
    @Option(help: "The --json file of an earlier run. Fail if a percentile or a share got worse.", completion: .file())
    var compare: String?
    @Option(help: "Write the result to this file as JSON.", completion: .file())
    var json: String?
    @Option(help: "Write a report with plots to this file as HTML.", completion: .file())
    var report: String?
    @Option(help: "Write the budgets to this file as JUnit XML.", completion: .file())
    var junit: String?

    /// Checks, before the run, that all reports can be written, and returns the run to compare with.
    func prepare() throws -> LoadResult? {
        try OutputPath.check(json, report, junit)
        guard let compare else { return nil }
        guard let data = FileManager.default.contents(atPath: compare) else {
            throw CommandError(.inputNotFound, "\(compare) cannot be read. Check its name and permissions.")
        }
        guard let earlier = try? LoadResult(json: data) else {
            throw CommandError(.badInput, "\(compare) is not the result of a load test. Name a file written by --json.")
        }
        return earlier
    }

    /// Writes the requested files and prints a summary. Ends the command with an error if a budget was missed.
    func write(_ result: LoadResult) async throws {
        if let json { try await OutputPath.write(result.json, to: json) }
        if let report { try await OutputPath.write(Data(HTMLReport(result).html.utf8), to: report) }
        if let junit { try await OutputPath.write(Data(JUnitReport(result).xml.utf8), to: junit) }
        FileHandle.standardOutput.write(Data("\(result.text)\n".utf8))
        switch result.verdict {
        case .passed, .measured: break
        case .missed: throw CommandError(.budgetMissed, "A budget was missed, or a figure got worse; see above.")
        case .failed:
            throw CommandError(.failure, "\(result.failure). Check the URLs and the target's log.")
        case .void:
            let reasons = result.voidReasons.joined(separator: "; ")
            let isShort = result.judgements.contains { $0.verdict == .unclear }
            let advice = isShort ? "Raise --duration" : "Give the generator more resources, or lower the load"
            throw CommandError(.failure, "The result is not valid: \(reasons). \(advice).")
        }
    }
}

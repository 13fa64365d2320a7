import ArgumentParser
import Foundation
import LoadTest
import Media
import Timing

/// What is sent, and how fast.
struct LoadOptions: ParsableArguments {
    @Option(help: "Notifications a second: 50; 1.5x of the measured capacity; 0.5x..3x, a ramp; several with commas.")
    var rate = "10"
    @Option(help: "How long each step of the load lasts.")
    var duration = "30s"
    @Option(help: "How notifications arrive: poisson, at random as from many senders; fixed, at even distances.")
    var arrivals = ArrivalSchedule.Arrivals.poisson
    @Option(help: "How long --clients send one after the other before that: it warms up and measures the capacity.")
    var warmUp = "5s"
    @Option(help: "How many clients warm up. (default: four for each core)")
    var clients: Int?
    @Option(help: "The time that each notification has.")
    var deadline = "5s"
    @Option(help: "The attachments' profile, such as fcm. (default: the target's)")
    var profile: String?
    @Option(help: "WEIGHT:FILE or FILE: a payload, in which {n}, {id} and {media} are filled in; may be repeated.")
    var payload: [String] = []
    @Option(
        help: "WEIGHT:URL or URL: media that the target can fetch, with --allow-address where needed; may be repeated."
    )
    var source: [String] = []
    @Flag(help: "Let notifications share source URLs, so that work for one may serve others.")
    var sameSources = false
    @Option(help: "Which lots are drawn for arrivals, payloads and media.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...10_000).contains(clients ?? 1) else { throw ValidationError("--clients is from 1 to 10000.") }
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
            clients: clients ?? ProcessInfo.processInfo.activeProcessorCount * 4,
            targetName: targetName,
        )
        run.arrivals = arrivals
        return run
    }

    private static func duration(_ text: String, _ option: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw LoadTestError.usage("\(option) \(text) is no duration: write it as 800ms or 20s.")
        }
        return duration
    }

    private static func template(_ path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.inputNotFound, "\(path) cannot be read: is it there?")
        }
        guard text.contains("{media}") else {
            throw CommandError(.badInput, "\(path) has no {media} where its attachment's URL goes.")
        }
        return text
    }
}

extension ArrivalSchedule.Arrivals: ExpressibleByArgument {}

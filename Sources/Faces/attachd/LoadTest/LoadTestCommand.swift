import App
import ArgumentParser
import Foundation
import LoadTest
import Logging
import Media
import Timing
import Values

struct LoadTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loadtest",
        abstract: "Sends notifications on a schedule, and says whether the answers keep to budgets.",
        discussion: """
            Notifications go out when they are due, however many are under way, and each one's time begins when it was \
            due: what a stalling target would have kept from users is counted. What is refused, fails or is not \
            answered counts with its whole deadline.

            URL is a sidecar's (http://127.0.0.1:8080, or with /v1/rewrite or /v1/jobs behind it) or a queue's \
            (redis://HOST:PORT). With --spawn a worker and an origin are started for the test, and stopped after it.

            A budget is a figure and its limit: p99<1.8s, max<5s, mean<300ms, of all notifications or of an outcome, a \
            stage or the margin (complete.p90, decode.p99, margin.p1>200ms); late=0, degraded<5%, refused=0; \
            goodput>50/s; rss<400MB. It holds for every step, or with @1x behind it for one.

            Exit status: 0 the budgets are kept, 4 one is missed or a percentile got worse than in --compare's run, 1 \
            the run is void: the generator could not keep up, or something could not be measured.
            """,
    )

    @Argument(help: "The sidecar or queue to send to; none with --spawn.")
    var url: Secret<String>?
    @OptionGroup(title: "Load") var load: LoadOptions
    @OptionGroup(title: "A target of its own") var spawn: SpawnOptions
    @OptionGroup(title: "Budgets and reports") var reports: ReportOptions
    @Option(help: "The file with the sidecar's API token.")
    var apiToken: String?
    @Option(help: "Trust the certificate authorities in this file too.")
    var caFile: String?

    func validate() throws {
        guard (url == nil) == spawn.spawn else { throw ValidationError("Give either a URL or --spawn.") }
        guard spawn.spawn || !load.source.isEmpty else {
            throw ValidationError(
                "Say with --source which media the notifications are to name, as the target reaches it."
            )
        }
        do throws(LoadTestError) {
            let steps = try Rate.steps(load.rate).map(\.label)
            for text in reports.budget {
                guard let step = try Budget(text).step, !steps.contains(step) else { continue }
                throw LoadTestError.usage("--budget '\(text)': the steps are \(steps.joined(separator: ", ")).")
            }
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() async throws {
        try await CommandError.reported {
            do {
                OpenFiles.raise()
                guard let result = try await Signals.untilToldToStop({ try await measure() }) else {
                    throw CommandError(.failure, "Told to stop.")
                }
                try reports.write(result)
            } catch let error as LoadTestError {
                throw CommandError(error.kind == .usage ? .usage : .failure, error.description)
            }
        }
    }

    private func measure() async throws -> LoadResult {
        guard spawn.spawn else { return try await measure(try await given()) }
        let spawned = try await SpawnedTarget(spawn)
        do {
            let result = try await measure(try await spawned.target())
            await spawned.stop()
            return result
        } catch {
            await spawned.stop()
            throw error
        }
    }

    private func measure(_ opened: OpenTarget) async throws -> LoadResult {
        var run = try load.run(sources: opened.sources, targetName: opened.name)
        run.budgets = try reports.budget.map { try Budget($0) }
        run.memory = opened.memory
        run.report = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        do {
            var result = try await run.run(opened.target, time: SystemTime())
            try reports.compare(&result)
            await opened.close()
            return result
        } catch {
            await opened.close()
            throw error
        }
    }

    /// The target that the command line names.
    private func given() async throws -> OpenTarget {
        let url = url ?? Secret("")
        let sources = load.source.map { Weighted(text: $0) }
        if url.revealed.hasPrefix("redis") || url.revealed.hasPrefix("sqlite") {
            return try await .queue(url, caFile, sources, memory: nil)
        }
        return try .sidecar(url.revealed, token: apiToken, authorities: caFile, sources)
    }
}

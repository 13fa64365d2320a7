import App
import ArgumentParser
import Base
import Foundation
import Jobs
import LoadTest
import Logging
import Media
import Settings

struct LoadTestCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "loadtest",
        abstract: "Sends notifications on a schedule and checks the answers against budgets.",
        discussion: """
            The command sends each notification when it is due, even if many are in flight, and measures its latency \
            from that time. So it also measures the delays of a stalled target. A notification that is refused, fails \
            or gets no answer counts as if it had taken its complete deadline.

            URL is a sidecar (http://127.0.0.1:8080, optionally with the path /v1/rewrite or /v1/jobs) or a queue \
            (redis://HOST:PORT). With --spawn, the command starts a worker and an origin for the test and stops them \
            afterwards.

            A budget is a figure and its limit: p99<1.8s, max<5s, mean<300ms, of all notifications or of an outcome, a \
            stage or the margin (complete.p90, decode.p99, margin.p1>200ms); late=0, degraded<5%, refused=0; \
            goodput>50/s; rss<400MB. It applies to every step or, with a suffix such as @1x, to one step.

            Exit status: 0 if all budgets are met; 4 if a budget is missed, or a percentile is worse than in the run \
            of --compare; 1 if no notification got an attachment, or if the result is not valid because the generator \
            could not keep up, a figure is missing, or a percentile has too few notifications.
            """,
    )

    @Argument(help: "The URL of the sidecar or the queue to send to. Omit it with --spawn.")
    var url: Secret<String>?
    @OptionGroup(title: "Load") var load: LoadOptions
    @OptionGroup(title: "Spawned target") var spawn: SpawnOptions
    @OptionGroup(title: "Budgets and reports") var reports: ReportOptions
    @Option(name: .setting(\.apiTokenFile), help: "The file with the API token of the sidecar.", completion: .file())
    var apiToken: String?
    @Option(help: "Also trust the certificate authorities in this file.", completion: .file())
    var caFile: String?

    func validate() throws {
        guard (url == nil) == spawn.spawn else { throw ValidationError("Give either a URL or --spawn.") }
        guard spawn.spawn || !load.source.isEmpty else {
            throw ValidationError(
                "Name with --source the media for the notifications, by URLs that the target can reach."
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

    func perform() async throws {
        let earlier = try reports.prepare()
        OpenFiles.raise()
        guard var result = try await Signals.untilToldToStop({ try await measure(earlier) }) else {
            throw CommandError(.failure, "The load test was stopped.")
        }
        if let earlier { result.changes = try RunComparison(of: result, with: earlier).changes }
        try await reports.write(result)
    }

    private func measure(_ earlier: LoadResult?) async throws -> LoadResult {
        guard spawn.spawn else { return try await measure(try await given(), earlier) }
        let spawned = try await SpawnedTarget(spawn)
        let result = try await undoing({ await spawned.stop() }) {
            try await measure(try await spawned.target(), earlier)
        }
        await spawned.stop()
        return result
    }

    private func measure(_ opened: OpenTarget, _ earlier: LoadResult?) async throws -> LoadResult {
        var run = try load.run(sources: opened.sources, targetName: opened.name)
        run.budgets = try reports.budget.map { try Budget($0) }
        run.memory = opened.memory
        run.settings = spawn.spawn ? spawn.settings : load.settings
        run.report = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        let result = try await undoing({ await opened.close() }) {
            // Before the run, which takes minutes.
            if let settings = earlier?.settings { try run.allSettings.checkEqual(to: settings) }
            return try await run.run(opened.target, time: SystemTime())
        }
        await opened.close()
        return result
    }

    /// Opens the target that the command line names.
    private func given() async throws -> OpenTarget {
        let url = url ?? Secret("")
        let sources = load.source.map { Weighted(text: $0) }
        if url.revealed.hasPrefix("redis") || url.revealed.hasPrefix("sqlite") {
            return try await .queue(url, caFile, sources, memory: nil)
        }
        return try .sidecar(url.revealed, token: apiToken, authorities: caFile, sources)
    }
}

// MARK: - The target

/// An open target of a load test.
struct OpenTarget {
    var target: any LoadTarget
    var name: String
    var sources: [Weighted<String>]
    var memory: ResidentMemory?
    var close: () async -> Void

    /// Opens a sidecar. The path of the URL selects the route.
    static func sidecar(
        _ text: String,
        token tokenFile: String? = nil,
        authorities: String? = nil,
        _ sources: [Weighted<String>],
        memory: ResidentMemory? = nil,
    ) throws -> OpenTarget {
        let path = URL(string: text)?.path() ?? ""
        let route = ["", "/"].contains(path) ? SidecarTarget.Route.notifications : SidecarTarget.Route(rawValue: path)
        guard let url = URL(string: text), let route else {
            let routes = SidecarTarget.Route.allCases.map(\.rawValue).joined(separator: ", ")
            throw LoadTestError.usage("The URL's path must be one of \(routes).")
        }
        let connections = try HTTPConnections(url, token: try tokenFile.map(token), authorities: authorities)
        return OpenTarget(
            target: SidecarTarget(connections, route),
            name: connections.base + route.rawValue,
            sources: sources,
            memory: memory ?? .metrics(connections),
            close: { await connections.shutDown() },
        )
    }

    /// Opens a queue.
    static func queue(
        _ url: Secret<String>,
        _ authorities: String?,
        _ sources: [Weighted<String>],
        memory: ResidentMemory?,
    ) async throws -> OpenTarget {
        var options = [Settings.table.queue.key: SettingsSource.Option.secret(url)]
        if let authorities { options[Settings.table.caFile.key] = .text(authorities) }
        let settings: Settings
        do {
            settings = try Settings(reading: SettingsSource(options: options, configurationFile: nil))
        } catch {
            throw CommandError(.badConfiguration, "\(error)")
        }
        let queue = try await settings.openQueue()
        return OpenTarget(
            target: QueueTarget(queue),
            name: settings.queue.withoutSecrets,
            sources: sources,
            memory: memory,
            close: { await queue.shutDown() },
        )
    }

    private static func token(_ path: String) throws -> Secret<String> {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let token = text.split(whereSeparator: \.isNewline).first
        else {
            // The path is not repeated: it may be the token itself.
            let message =
                "The file of --api-token-file cannot be read. Give the path of a file with the token in one line."
            throw CommandError(.inputNotFound, message)
        }
        return Secret(String(token))
    }
}

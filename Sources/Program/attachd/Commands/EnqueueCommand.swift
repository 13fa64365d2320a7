import App
import ArgumentParser
import Base
import Foundation
import Jobs
import Media
import Payloads
import Settings
import UnixSignals

struct EnqueueCommand: ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "enqueue",
        abstract: "Adds notifications to the queue. With --wait, prints their results, one per line.",
    )

    @Argument(help: "Files with one payload each, or - for standard input.", completion: .file())
    var payloads: [String] = ["-"]
    @Option(
        help:
            "The job's name. The same name is the same job, until a minute after its answer. Only for a single payload."
    )
    var id: String?
    @Option(help: "The tenant that the jobs are for. Tenants take turns, and each has its share of the queue.")
    var tenant: String?
    @Option(help: "Post the result to this URL.")
    var callback: String?
    @Flag(help: "Wait for the results and print them, at most until five seconds after the deadline.")
    var wait = false
    @Option(
        name: .setting(\.listen),
        help: ArgumentHelp(
            Settings.table.listen.declaration.helpText(
                "The HOST:PORT of the attachd process that uses the queue's file."
            )
        )
    )
    var listen: String?
    @Option(name: .setting(\.apiTokenFile), help: "The file with the API token of that process.", completion: .file())
    var apiToken: String?
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard id == nil || payloads.count == 1 else { throw ValidationError("Use --id with a single payload only.") }
    }

    func perform() async throws {
        var options = queue.options
        options[Settings.table.listen.key] = listen.map { .text($0) }
        options[Settings.table.apiTokenFile.key] = apiToken.map { .text($0) }
        let settings = try common.settings(options)
        var producer = try await JobProducer.open(settings)
        var jobs: [(name: JobName, deadline: Instant)] = []
        for path in payloads {
            let job = try job(try PayloadInput.read(path), path, settings)
            if let refusal = try await producer.enqueue(job).refusal(for: job.tenant) {
                throw CommandError(.tryLater, "\(refusal) Send the notification unchanged.")
            }
            jobs.append((job.name, SystemTime().now + settings.deadline))
            if !wait { print(job.id) }
        }
        if wait {
            await producer.finishEnqueueing(settings)
            try await printResults(of: jobs, from: producer, settings)
        }
        await producer.shutDown()
    }

    private func job(_ payload: [UInt8], _ path: String, _ settings: Settings) throws -> Job {
        do {
            return try Job(of: payload, id: id, tenant: tenant, profile: common.profile, callback: callback, settings)
        } catch {
            throw CommandError(.badInput, "\(path): \(error)")
        }
    }

    /// Prints the results in the order of the payloads. Fails after the last result if a job has no result.
    private func printResults(
        of jobs: [(name: JobName, deadline: Instant)],
        from producer: JobProducer,
        _ settings: Settings,
    ) async throws {
        let signals = Task { await Self.endOnSignal() }
        defer { signals.cancel() }
        let wait = ResultWait { name, waitTime in try await producer.state(of: name, waiting: waitTime) }
        var problems: [String] = []
        var hasNotice = false
        for (name, deadline) in jobs {
            let outcome = try await wait.outcome(of: name, deadline: deadline) {
                guard !hasNotice else { return }
                hasNotice = true
                StandardError.write(await Self.notice(of: name, producer))
            }
            switch outcome {
            case .finished(let reply):
                FileHandle.standardOutput.write(Data(Self.json(reply, of: name) + [0x0A]))
                if [.failed, .poison, .cancelled].contains(reply.status) {
                    problems.append("The job \(name.id) has the status \(reply.status.rawValue).")
                }
            case .unknown: problems.append("The result of \(name.id) is no longer kept.")
            case .late(let isTaken):
                let limit = "its deadline of \(settings.deadline.milliseconds) ms"
                problems.append(
                    isTaken
                        ? "The worker of the job \(name.id) has not answered by \(limit). See `attachd jobs show`."
                        : "No worker has taken the job \(name.id) by \(limit). Run `attachd serve` or `attachd work` "
                            + "with this queue; the job is answered as expired."
                )
            }
        }
        guard let problem = problems.first else { return }
        let more = problems.count > 1 ? " \(problems.count - 1) more of \(jobs.count) jobs failed." : ""
        throw CommandError(.failure, problem + more)
    }

    /// Returns the answer as JSON. That of a job without a result has its status and the reason.
    private static func json(_ reply: JobReply, of name: JobName) -> [UInt8] {
        if (try? JSONValue(parsing: reply.body))?.isObject == true { return reply.body }
        let detail = String(decoding: reply.body, as: UTF8.self)
        let members = [
            JSONValue.Member("id", .string(name.id)), .init("status", .string(reply.status.rawValue)),
        ]
        return JSONValue.object(members + (detail.isEmpty ? [] : [.init("detail", .string(detail))])).compactBytes
    }

    private static func notice(of name: JobName, _ producer: JobProducer) async -> String {
        let finding =
            switch await producer.workerCount {
            case 0?: "No worker has taken the job \(name.id), and none reports to this queue."
            case let count?: "No worker has taken the job \(name.id) yet; the queue has \(count)."
            case nil: "No worker has taken the job \(name.id) yet."
            }
        return "\(finding) One starts with `attachd serve` or `attachd work`. Waiting until the deadline."
    }

    /// Ends the command when it is told to stop. Its jobs stay in the queue.
    private static func endOnSignal() async {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            StandardError.write("Stopped waiting. The jobs stay in the queue.")
            _exit(128 + signal.rawValue)
        }
    }
}

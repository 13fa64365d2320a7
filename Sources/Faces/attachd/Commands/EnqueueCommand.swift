import App
import ArgumentParser
import Settings
import Foundation
import Jobs
import Media

struct EnqueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enqueue",
        abstract: "Adds notifications to the queue. With --wait, prints their results, one a line.",
    )

    @Argument(help: "Files with one payload each, or - for standard input.", completion: .file())
    var payloads: [String] = ["-"]
    @Option(help: "The job's name. The queue accepts each name once. Only for a single payload.")
    var id: String?
    @Option(help: "The tenant that the jobs are for. Tenants take turns, and have their share of the queue.")
    var tenant: String?
    @Option(help: "Post the result to this URL.")
    var callback: String?
    @Flag(help: "Wait for the results and print them.")
    var wait = false
    @Option(
        name: .setting(.listen),
        help: "The HOST:PORT of the attachd process that uses the queue's file. (default: 127.0.0.1:8080)"
    )
    var listen: String?
    @Option(name: .setting(.apiTokenFile), help: "The file with the API token of that process.", completion: .file())
    var apiToken: String?
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard id == nil || payloads.count == 1 else { throw ValidationError("Use --id with a single payload only.") }
    }

    func run() async throws {
        try await CommandError.reported {
            var options = queue.options
            options[.listen] = listen.map { .text($0) }
            options[.apiTokenFile] = apiToken.map { .text($0) }
            let settings = try common.settings(options)
            do {
                try await enqueue(settings)
            } catch let error as JobQueueError {
                throw CommandError(error)
            }
        }
    }

    private func enqueue(_ settings: Settings) async throws {
        let producer = try await JobProducer.open(settings)
        var names: [JobName] = []
        for path in payloads {
            let job = try job(try PayloadInput.read(path), path, settings)
            names.append(job.name)
            switch try await producer.enqueue(job) {
            case .accepted, .known, .finished:
                if !wait { print(job.id) }
            case .busy: throw CommandError(.failure, "The queue is full. Send the notification unchanged.")
            case .overShare:
                let reason = "The tenant \(job.tenant)'s share of the queue is full. Send the notification unchanged."
                throw CommandError(.failure, reason)
            }
        }
        if wait { for name in names { try await print(result(of: name, from: producer)) } }
        await producer.shutDown()
    }

    private func job(_ payload: [UInt8], _ path: String, _ settings: Settings) throws -> Job {
        do {
            return try JobOrder(id: id, tenant: tenant, profile: common.profile, callback: callback).job(
                payload,
                settings
            )
        } catch {
            throw CommandError(.badInput, "\(path): \(error)")
        }
    }

    private func result(of name: JobName, from producer: JobProducer) async throws -> String {
        while true {
            switch try await producer.state(of: name, waiting: .seconds(10)) {
            case .waiting, .running: continue
            case .unknown: throw CommandError(.failure, "The result of \(name.id) is no longer kept.")
            case .finished(let reply): return String(decoding: reply.body, as: UTF8.self)
            }
        }
    }
}

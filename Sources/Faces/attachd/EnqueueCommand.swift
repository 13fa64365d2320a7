import App
import ArgumentParser
import Foundation
import Jobs
import Media

struct EnqueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enqueue",
        abstract: "Puts notifications on the queue; --wait prints their results, one a line.",
    )

    @Argument(help: "Files with a payload each; - is standard input.")
    var payloads: [String] = ["-"]
    @Option(help: "The job's name: one that was seen before is the same job. Only for a single payload.")
    var id: String?
    @Option(help: "Post the result to this URL.")
    var callback: String?
    @Flag(help: "Wait for the results, and print them.")
    var wait = false
    @Option(help: "HOST:PORT of the attachd that has the queue's file open. (default: 127.0.0.1:8080)")
    var listen: String?
    @Option(help: "The file with that attachd's API token.")
    var apiToken: String?
    @OptionGroup var queue: QueueOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard id == nil || payloads.count == 1 else { throw ValidationError("--id goes with one payload.") }
    }

    func run() async throws {
        try await CommandError.reported {
            var options = queue.options
            options[.listen] = listen.map { .text($0) }
            options[.apiTokenFile] = apiToken.map { .text($0) }
            let settings = try await common.settings(options)
            do {
                try await enqueue(settings)
            } catch let error as JobQueueError {
                throw CommandError(error)
            }
        }
    }

    private func enqueue(_ settings: Settings) async throws {
        let producer = try await JobProducer.open(settings)
        var ids: [String] = []
        for path in payloads {
            let job = try job(try PayloadInput.read(path), path, settings)
            ids.append(job.id)
            switch try await producer.enqueue(job) {
            case .accepted, .known, .finished:
                if !wait { print(job.id) }
            case .busy: throw CommandError(.failure, "The queue is full; send the notification as it is.")
            }
        }
        if wait { for id in ids { try await print(result(of: id, from: producer)) } }
        await producer.shutDown()
    }

    private func job(_ payload: [UInt8], _ path: String, _ settings: Settings) throws -> Job {
        do {
            return try JobOrder(id: id, profile: common.profile, callback: callback).job(payload, settings)
        } catch {
            throw CommandError(.badInput, "\(path): \(error)")
        }
    }

    private func result(of id: String, from producer: JobProducer) async throws -> String {
        while true {
            switch try await producer.state(of: id, waiting: .seconds(10)) {
            case .waiting, .running: continue
            case .unknown: throw CommandError(.failure, "The result of \(id) is no longer kept.")
            case .finished(let reply): return String(decoding: reply.body, as: UTF8.self)
            }
        }
    }
}

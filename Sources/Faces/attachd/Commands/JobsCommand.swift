import App
import ArgumentParser
import Settings
import Jobs
import Media
import Timing
import Values

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Inspects and administers the queue.",
        subcommands: [List.self, Show.self, Dead.self, Retry.self, Purge.self],
        defaultSubcommand: List.self,
    )

    private static func check(_ limit: Int) throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 10000.") }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the queue's counts and its most urgent jobs.")

        @Option(help: "The number of jobs to list, at most 10000.")
        var limit = 50
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func validate() throws { try JobsCommand.check(limit) }

        func run() async throws {
            try await QueueView.with(queue, common) { view in
                let status = try await view.status()
                let age = status.oldestWaiting.map { ", the first for \($0.milliseconds) ms" } ?? ""
                print("waiting \(status.waiting)\(age); running \(status.running); dead letters \(status.dead)")
                for job in try await view.jobs(limit) {
                    let state = job.isRunning ? "running" : "waiting"
                    print(
                        "\(job.name.id.onOneLine())  \(state)  \(job.remaining.milliseconds) ms left  started \(job.starts)x"
                    )
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints a job's state and result.")

        @Argument(help: "The job's id.") var id: String
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await QueueView.with(queue, common) { view in
                switch try await view.state(of: id) {
                case .unknown:
                    throw CommandError(.inputNotFound, "There is no job \(id), or its result is no longer kept.")
                case .waiting: print("waiting")
                case .running: print("running")
                case .finished(let reply):
                    print(reply.status.rawValue)
                    print(String(decoding: reply.body, as: UTF8.self))
                }
            }
        }
    }

    struct Dead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the jobs that killed their workers, newest first."
        )

        @Option(help: "The number of dead letters to list, at most 10000.")
        var limit = 50
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func validate() throws { try JobsCommand.check(limit) }

        func run() async throws {
            try await QueueView.with(queue, common) { view in
                for letter in try await view.deadLetters(limit) {
                    let age = letter.age.milliseconds / 1000
                    print("\(letter.job.id.onOneLine())  started \(letter.starts)x  \(age) s ago")
                }
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a dead letter to the queue again.")

        @Argument(help: "The job's id.") var id: String
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await QueueView.with(queue, common, changes: true) { view in
                switch try await view.retry(id) {
                case .accepted: print("waiting")
                case .known, .finished:
                    throw CommandError(.failure, "A job \(id) is already in the queue, or was just answered.")
                case .busy: throw CommandError(.failure, "The queue is full.")
                case nil: throw CommandError(.inputNotFound, "There is no dead letter \(id).")
                }
            }
        }
    }

    struct Purge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes all dead letters.")

        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await QueueView.with(queue, common, changes: true) { view in
                print("forgot \(try await view.purge())")
            }
        }
    }
}

extension QueueView {
    /// Opens the queue for `body`. Reports errors as a message and an exit status.
    fileprivate static func with(
        _ queue: QueueOptions,
        _ common: CommonOptions,
        changes: Bool = false,
        _ body: (QueueView) async throws -> Void,
    ) async throws {
        try await CommandError.reported {
            let settings = try common.settings(queue.options)
            do {
                let view = try await QueueView.open(settings, changes: changes)
                try await body(view)
                await view.shutDown()
            } catch let error as JobQueueError {
                throw CommandError(error)
            }
        }
    }
}

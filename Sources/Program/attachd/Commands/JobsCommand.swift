import App
import ArgumentParser
import Base
import Jobs
import Media
import Payloads
import Settings

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Inspects and administers the queue.",
        subcommands: [List.self, Show.self, Dead.self, Retry.self, Purge.self, Forget.self],
        defaultSubcommand: List.self,
    )

    private static func check(_ limit: Int) throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 10000.") }
    }

    struct List: ReportedCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the queue's counts and its most urgent jobs.")

        @Option(help: "The number of jobs to list, at most 10000.")
        var limit = 50
        @Flag(help: "Print one JSON object, with times in milliseconds.")
        var json = false
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func validate() throws { try JobsCommand.check(limit) }

        func perform() async throws {
            try await QueueView.with(queue, common) { view in
                let (status, jobs) = (try await view.listing.status(), try await view.listing.jobs(limit))
                if json { return print(Self.json(status, jobs).compactText) }
                let age = status.oldestWaiting.map { ", the first for \($0.milliseconds) ms" } ?? ""
                print("waiting \(status.waiting)\(age); running \(status.running); dead letters \(status.dead)")
                for job in jobs {
                    let state = job.isRunning ? "running" : "waiting"
                    let tenant = job.name.tenant == Job.defaultTenant ? "" : "  of \(job.name.tenant.onOneLine())"
                    let time = "\(job.remaining.milliseconds) ms left"
                    print("\(job.name.id.onOneLine())\(tenant)  \(state)  \(time)  started \(job.starts)x")
                }
            }
        }

        private static func json(_ status: QueueStatus, _ jobs: [JobSummary]) -> JSONValue {
            [
                "waiting": .integer(status.waiting), "running": .integer(status.running),
                "dead": .integer(status.dead),
                "oldestWaiting": status.oldestWaiting.map { .integer($0.milliseconds) } ?? .null,
                "jobs": .array(
                    jobs.map { job in
                        [
                            "id": .string(job.name.id), "tenant": .string(job.name.tenant),
                            "state": .string(job.isRunning ? "running" : "waiting"),
                            "remaining": .integer(job.remaining.milliseconds), "starts": .integer(job.starts),
                        ]
                    }
                ),
            ]
        }
    }

    struct Show: ReportedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a job's state, and its status and result once it is finished."
        )

        @Argument(help: "The job's id.") var id: String
        @Option(help: "The tenant that the job is for, if it names one.") var tenant = Job.defaultTenant
        @Flag(help: "Print one JSON object.")
        var json = false
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func perform() async throws {
            try await QueueView.with(queue, common) { view in
                switch try await view.listing.state(of: JobName(id: id, tenant: tenant)) {
                case .unknown:
                    throw CommandError(.inputNotFound, "There is no job \(id), or its result is no longer kept.")
                case .waiting: show("waiting")
                case .running: show("running")
                case .finished(let reply): show("finished", reply)
                }
            }
        }

        /// Prints the state in the words of `GET /v1/jobs/{id}`.
        private func show(_ state: String, _ reply: JobReply? = nil) {
            guard json else {
                print(([state] + (reply.map { [$0.status.rawValue] } ?? [])).joined(separator: ", "))
                if let reply { print(String(decoding: reply.body, as: UTF8.self)) }
                return
            }
            let result = reply.map { reply in
                (try? JSONValue(parsing: reply.body)) ?? .string(String(decoding: reply.body, as: UTF8.self))
            }
            let object: JSONValue = [
                "id": .string(id), "state": .string(state),
                "status": reply.map { .string($0.status.rawValue) } ?? .null,
                "result": result ?? .null,
            ]
            print(object.compactText)
        }
    }

    struct Dead: ReportedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the jobs that killed their workers, newest first."
        )

        @Option(help: "The number of dead letters to list, at most 10000.")
        var limit = 50
        @Flag(help: "Print a JSON array, with ages in milliseconds.")
        var json = false
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func validate() throws { try JobsCommand.check(limit) }

        func perform() async throws {
            try await QueueView.with(queue, common) { view in
                let letters = try await view.listing.deadLetters(limit)
                if json { return print(Self.json(letters).compactText) }
                for letter in letters {
                    let age = letter.age.milliseconds / 1000
                    print("\(letter.job.id.onOneLine())  started \(letter.starts)x  \(age) s ago")
                }
            }
        }

        private static func json(_ letters: [DeadLetter]) -> JSONValue {
            .array(
                letters.map { letter in
                    [
                        "id": .string(letter.job.id), "tenant": .string(letter.job.tenant),
                        "starts": .integer(letter.starts),
                        "age": .integer(letter.age.milliseconds),
                    ]
                }
            )
        }
    }

    struct Retry: ReportedCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a dead letter to the queue again.")

        @Argument(help: "The job's id.") var id: String
        @Option(help: "The tenant that the job is for, if it names one.") var tenant = Job.defaultTenant
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func perform() async throws {
            try await QueueView.with(queue, common, changes: true) { view in
                guard let outcome = try await view.changeable().retryDeadLetter(JobName(id: id, tenant: tenant)) else {
                    throw CommandError(.inputNotFound, "There is no dead letter \(id).")
                }
                if let refusal = outcome.refusal(for: tenant) { throw CommandError(.tryLater, refusal) }
                guard outcome == .accepted else {
                    throw CommandError(.failure, "A job \(id) is already in the queue, or was just answered.")
                }
                print("waiting")
            }
        }
    }

    struct Purge: ReportedCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes all dead letters.")

        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func perform() async throws {
            try await QueueView.with(queue, common, changes: true) { view in
                print("forgot \(try await view.changeable().purgeDeadLetters())")
            }
        }
    }

    struct Forget: ReportedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes all that the queue has of a job, or of all jobs of a tenant.",
            discussion:
                "Removes waiting jobs without an answer, results, dead letters, and answers that wait for their callback.",
        )

        @Argument(help: "The job's id. Omit it to remove all jobs of the tenant.") var id: String?
        @Option(help: "The tenant of the job, or of all jobs to remove.") var tenant: String?
        @OptionGroup var queue: QueueOptions
        @OptionGroup var common: CommonOptions

        func perform() async throws {
            let jobs: ForgottenJobs
            switch (id, tenant) {
            case (let id?, _): jobs = .one(JobName(id: id, tenant: tenant ?? Job.defaultTenant))
            case (nil, let tenant?): jobs = .all(tenant: tenant)
            case (nil, nil): throw ValidationError("Name a job, or a tenant with --tenant.")
            }
            try await QueueView.with(queue, common, changes: true) { view in
                let count = try await view.changeable().forget(jobs)
                print("forgot \(count)")
                guard count > 0 else { throw CommandError(.inputNotFound, "The queue has nothing of it.") }
            }
        }
    }
}

extension QueueView {
    /// Opens the queue for `body`.
    fileprivate static func with(
        _ queue: QueueOptions,
        _ common: CommonOptions,
        changes: Bool = false,
        _ body: (QueueView) async throws -> Void,
    ) async throws {
        let view = try await QueueView.open(common.settings(queue.options), changes: changes)
        try await body(view)
        await view.shutDown()
    }
}

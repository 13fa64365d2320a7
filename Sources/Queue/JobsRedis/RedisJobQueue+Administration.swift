package import Jobs
import Media
import Timing

extension RedisJobQueue {
    /// The maximum number of jobs that are read for a listing.
    static let listLimit = 10_000
    /// The number of dead letters that a search reads at once.
    static let page = 100

    package func status() async throws -> QueueStatus {
        let numbers = try await run(.status, [String]()).elements?.compactMap(\.integer) ?? []
        let sane = -1...ServerClock.latest
        guard numbers.count == 5, numbers.allSatisfy(sane.contains) else {
            throw Self.invalidReply("an invalid status")
        }
        return QueueStatus(
            waiting: numbers[0],
            running: numbers[1],
            dead: numbers[2],
            callbacks: numbers[3],
            oldestWaiting: numbers[4] < 0 ? nil : .milliseconds(numbers[4]),
        )
    }

    /// Returns the oldest jobs of the queue, sorted by deadline. Streams can only be read in the order of their
    /// entries.
    package func jobs(_ limit: Int) async throws -> [JobSummary] {
        guard limit > 0 else { return [] }
        let count = min(max(limit, Self.page), Self.listLimit)
        let jobs = try await run(.jobs, ["\(count)"]).elements ?? []
        return try jobs.map { element throws(JobQueueError) in
            guard let parts = element.elements, parts.count == 5, let id = parts[0].text, let tenant = parts[1].text,
                let remaining = parts[2].integer, (-ServerClock.latest...ServerClock.latest).contains(remaining),
                let starts = parts[3].integer, let isRunning = parts[4].integer
            else { throw Self.invalidReply("an invalid job") }
            return JobSummary(
                name: JobName(id: id, tenant: tenant),
                isRunning: isRunning == 1,
                remaining: .milliseconds(remaining),
                starts: starts,
            )
        }
        .sorted { $0.remaining < $1.remaining }
        .prefix(limit)
        .map { $0 }
    }

    package func deadLetters(_ limit: Int) async throws -> [DeadLetter] {
        guard limit > 0 else { return [] }
        return try await deadLetters(limit, before: "+").compactMap(\.letter)
    }

    package func retryDeadLetter(_ name: JobName) async throws -> Enqueued? {
        var end = "+"
        while true {
            let letters = try await deadLetters(Self.page, before: end)
            if let found = letters.first(where: { $0.letter?.job.name == name }) {
                let reply = try await run(.retry, [found.id])
                return reply == .null ? nil : try enqueued(reply)
            }
            guard let last = letters.last, letters.count == Self.page else { return nil }
            end = "(\(last.id)"
        }
    }

    package func purgeDeadLetters() async throws -> Int {
        try await run(.purge, [String]()).integer ?? 0
    }

    /// Returns dead letters and their ids in the stream, newest first. A letter that cannot be read is `nil`.
    private func deadLetters(_ limit: Int, before end: String) async throws -> [(id: String, letter: DeadLetter?)] {
        let read = RedisCommand("XREVRANGE", "\(settings.prefix)dead", end, "-", "COUNT", "\(limit)")
        let asked = time.now
        let replies = try await replies(to: [read, RedisCommand("TIME")], on: commands, repeatable: true)
        let now = time.now
        guard let entries = replies[0].elements, let clock = serverClock(time: replies[1], asked: asked) else {
            throw Self.invalidReply("an invalid list of dead letters")
        }
        return try entries.map { entry in
            guard let pair = entry.elements, pair.count == 2, let id = pair[0].text, let fields = EntryFields(pair[1]),
                let deadLettered = clock.instant(ofEntry: id[...])
            else { throw Self.invalidReply("an invalid dead letter") }
            let stream = fields.text("entry")?.prefix(2) ?? ""
            let letter = fields.job(priority: Job.Priority(stream: stream) ?? .high).map { job in
                DeadLetter(job: job, starts: fields.integer("starts") ?? 0, age: max(.zero, now - deadLettered))
            }
            return (id, letter)
        }
    }
}

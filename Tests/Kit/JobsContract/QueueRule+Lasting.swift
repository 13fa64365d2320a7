import Jobs
import Media
import Synchronization
import Testing

extension QueueRule {
    /// The rules about durability and concurrency.
    static let lasting = [
        QueueRule("everything is there after a restart, and running jobs are leased again") { queues in
            var queue = try await queues.open(Queues.shortLeases)
            #expect(try await queue.enqueue(.sample("answered", callback: "https://gateway.example/done")) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            #expect(try await queue.enqueue(.sample("deadLettered")) == .accepted)
            #expect(try await queue.deadLetter(queue.leaseOne().lease, with: JobReply(.poison, body: [])))
            #expect(try await queue.enqueue(.sample("running")) == .accepted)
            #expect(try await queue.start(queue.leaseOne().lease))
            #expect(try await queue.enqueue(.sample("waiting", within: .seconds(60))) == .accepted)

            try await queues.store.close()
            queue = try await queues.open(Queues.shortLeases)
            #expect(try await queue.enqueue(.sample("waiting")) == .known)
            #expect(try await queue.state(of: JobName(id: "answered"), waiting: .zero) == .finished(.sample()))
            #expect(try await queue.leaseCallback().reply == .sample())
            #expect(try await queue.deadLetters(9).map(\.job.id) == ["deadLettered"])
            let again = try await [queue.takeOne(), queue.takeOne()].sorted { $0.job.id < $1.job.id }
            #expect(again.map(\.job.id) == ["running", "waiting"])
            #expect(again.map(\.starts) == [1, 0])
        },
        QueueRule("a worker leaves, and others lease its jobs") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            #expect(try await a.enqueue(.sample("1")) == .accepted)
            #expect(try await a.enqueue(.sample("2")) == .accepted)
            _ = try await a.leaseOne()
            try await a.leave()
            let taken = [try await b.takeOne().job.id, try await b.takeOne().job.id]
            #expect(Set(taken) == ["1", "2"])
        },
        QueueRule("many producers and workers at once: each job is answered once, with its own answer") { queues in
            let (a, b) = try await queues.openTwo()
            let ids = (0..<8).flatMap { producer in (0..<50).map { "\(producer)-\($0)" } }
            let answered = Answered()
            try await withThrowingDiscardingTaskGroup { group in
                for producer in 0..<8 {
                    group.addTask {
                        for number in 0..<50 {
                            let job = Job.sample("\(producer)-\(number)", priority: number % 3 == 0 ? .low : .high)
                            let first = try await (number % 2 == 0 ? a : b).enqueue(job)
                            #expect(first == .accepted)
                            let second = try await a.enqueue(job)
                            #expect(second != .accepted)
                        }
                    }
                }
                for queue in [a, b, a, b] {
                    group.addTask {
                        while answered.ids.count < ids.count {
                            for leased in try await queue.lease(7, waiting: .milliseconds(100)) {
                                let isMine = try await queue.start(leased.lease)
                                #expect(isMine)
                                let isOnly = try await queue.finish(leased.lease, with: .sample("to \(leased.job.id)"))
                                #expect(isOnly)
                                answered.note(leased.job.id)
                            }
                        }
                    }
                }
            }
            #expect(answered.ids.sorted() == ids.sorted())
            for id in ids {
                #expect(try await b.state(of: JobName(id: id), waiting: .zero) == .finished(.sample("to \(id)")))
            }
            #expect(try await b.status() == QueueStatus())
        },
    ]
}

/// The names of the answered jobs, in order of the answers.
private final class Answered: Sendable {
    private let list = Mutex<[String]>([])

    var ids: [String] { list.withLock(\.self) }

    func note(_ id: String) { list.withLock { $0.append(id) } }
}

import Jobs
import Media
import Testing

extension QueueRule {
    static let listing = [
        QueueRule("the status counts the queue's jobs") { queues in
            let queue = try await queues.open()
            #expect(try await queue.status() == QueueStatus())
            for id in ["1", "2", "3"] { #expect(try await queue.enqueue(.sample(id)) == .accepted) }
            let leased = try await queue.leaseOne()
            var status = try await queue.status()
            #expect([status.waiting, status.running, status.dead, status.callbacks] == [2, 1, 0, 0])
            #expect(try #require(status.oldestWaiting) >= .zero)
            #expect(try await queue.finish(leased.lease, with: .sample()))
            _ = try await queue.lease(2, waiting: .zero)
            status = try await queue.status()
            #expect([status.waiting, status.running] == [0, 2])
            #expect(status.oldestWaiting == nil)
        },
        QueueRule("jobs are listed, earliest deadline first") { queues in
            let queue = try await queues.open()
            #expect(try await queue.jobs(9).isEmpty)
            #expect(try await queue.enqueue(.sample("1", within: .seconds(200))) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(try await queue.start(leased.lease))
            #expect(try await queue.enqueue(.sample("2", tenant: "news", within: .seconds(300))) == .accepted)
            #expect(try await queue.enqueue(.sample("3", priority: .low, within: .seconds(100))) == .accepted)
            let jobs = try await queue.jobs(9)
            #expect(jobs.map(\.name) == [JobName(id: "3"), JobName(id: "1"), JobName(id: "2", tenant: "news")])
            #expect(jobs.map(\.isRunning) == [false, true, false])
            #expect(jobs.map(\.starts) == [0, 1, 0])
            #expect(jobs.allSatisfy { $0.remaining <= .seconds(300) })
            #expect(try await queue.jobs(2).count == 2)
        },
    ]
}

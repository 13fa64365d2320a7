import Base
import Jobs
import Media
import Support
import Testing

extension QueueRule {
    static let leasing = [
        QueueRule("high priority is leased before low") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample("low", priority: .low, within: .seconds(10))) == .accepted)
            #expect(try await queue.enqueue(.sample("high", priority: .high, within: .seconds(20))) == .accepted)
            #expect(try await queue.leaseOne().job.id == "high")
            #expect(try await queue.leaseOne().job.id == "low")
        },
        QueueRule("jobs are leased by their deadlines") { queues in
            let queue = try await queues.open()
            for (id, seconds) in [("a", 300), ("b", 100), ("c", 400), ("d", 200), ("e", 600)] {
                #expect(try await queue.enqueue(.sample(id, within: .seconds(seconds))) == .accepted)
            }
            var leased = try await queue.lease(2, waiting: .zero).map(\.job.id)
            leased += try await queue.lease(9, waiting: .zero).map(\.job.id)
            #expect(leased == ["b", "d", "a", "c", "e"])
        },
        QueueRule("urgent jobs can be leased alone, and the others stay") { queues in
            let queue = try await queues.open()
            for (id, seconds) in [("a", 300), ("b", 20), ("c", 400), ("d", 10), ("e", 600)] {
                let priority: Job.Priority = id == "d" ? .low : .high
                let job = Job.sample(id, priority: priority, within: .seconds(seconds))
                #expect(try await queue.enqueue(job) == .accepted)
            }
            func extra(_ time: Duration) -> ExtraJobs {
                ExtraJobs(dueWithin: time, tenants: [.high: [Job.defaultTenant], .low: [Job.defaultTenant]])
            }
            #expect(try await queue.lease(9, only: extra(.seconds(1)), waiting: .zero).isEmpty)
            #expect(try await queue.lease(1, only: extra(.seconds(100)), waiting: .zero).count == 1)
            #expect(try await queue.lease(9, only: extra(.seconds(100)), waiting: .zero).count == 1)
            #expect(try await queue.lease(9, only: extra(.seconds(100)), waiting: .zero).isEmpty)
            #expect(try await queue.lease(9, waiting: .zero).map(\.job.id) == ["a", "c", "e"])
        },
        QueueRule("at most the requested number of jobs is leased, and none twice") { queues in
            let (a, b) = try await queues.openTwo()
            for number in 1...5 { #expect(try await a.enqueue(.sample("\(number)")) == .accepted) }
            #expect(try await a.lease(0, waiting: .zero).isEmpty)
            let first = try await a.lease(2, waiting: .zero)
            let second = try await b.lease(2, waiting: .zero)
            let third = try await a.lease(2, waiting: .zero)
            #expect([first.count, second.count, third.count] == [2, 2, 1])
            #expect(Set((first + second + third).map(\.job.id)) == ["1", "2", "3", "4", "5"])
            #expect(try await b.lease(2, waiting: .milliseconds(20)).isEmpty)
            #expect(try await b.reclaim(9).isEmpty)
        },
        QueueRule("a waiting worker gets the jobs that are enqueued meanwhile") { queues in
            let (a, b) = try await queues.openTwo()
            async let leased = a.leaseOne()
            #expect(try await b.enqueue(.sample()) == .accepted)
            #expect(try await leased.job.id == "job")
        },
        QueueRule("a cancelled wait leases no job") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            let waiting = Task { try await a.lease(1, waiting: .seconds(600)) }
            #expect(try await b.lease(1, waiting: .milliseconds(20)).isEmpty)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(try await b.enqueue(.sample()) == .accepted)
            #expect(try await b.takeOne().job.id == "job")
        },
        QueueRule("a job whose deadline has passed is still leased, because it needs an answer") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample(within: .milliseconds(1))) == .accepted)
            try await eventually { try await queue.jobs(1).first.map { $0.remaining < .zero } ?? false }
            let leased = try await queue.leaseOne()
            #expect((leased.deadline - leased.enqueued).milliseconds == 1)
            #expect(try await queue.finish(leased.lease, with: JobReply(.expired, body: [])))
        },
        QueueRule("a returned job is available at once to any worker, and doesn't count as started") { queues in
            let (a, b) = try await queues.openTwo()
            #expect(try await a.enqueue(.sample("1")) == .accepted)
            #expect(try await a.enqueue(.sample("2")) == .accepted)
            let leased = try await a.lease(2, waiting: .zero)
            try await a.giveBack(leased.map(\.lease))
            let taken = [try await b.takeOne(), try await b.takeOne()]
            #expect(Set(taken.map(\.job.id)) == ["1", "2"])
            #expect(taken.map(\.starts) == [0, 0])
            for lease in leased.map(\.lease) {
                #expect(try await !a.start(lease))
                #expect(try await !a.finish(lease, with: .sample("late")))
            }
            for job in taken { #expect(try await b.finish(job.lease, with: .sample())) }
        },
        QueueRule("a job whose work was broken off in order is available at once, and that start doesn't count") {
            queues in
            let (a, b) = try await queues.openTwo()
            #expect(try await a.enqueue(.sample()) == .accepted)
            // One start that ended otherwise still counts.
            for isBrokenOff in [false, true] {
                let leased = try await a.leaseOne()
                #expect(try await a.start(leased.lease))
                try await a.giveBack([leased.lease], isBrokenOff: isBrokenOff)
                #expect(try await !a.finish(leased.lease, with: .sample("late")))
            }
            let taken = try await b.takeOne()
            #expect(taken.starts == 1)
            #expect(try await b.start(taken.lease))
            try await b.giveBack([taken.lease])
            let again = try await a.takeOne()
            #expect(again.starts == 2)
            #expect(try await a.finish(again.lease, with: .sample()))
        },
        QueueRule("a lost job can't be returned by the worker that lost it") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            #expect(try await a.enqueue(.sample()) == .accepted)
            let lost = try await a.leaseOne()
            let reclaimed = try await b.rescueOne()
            try await a.giveBack([lost.lease])
            #expect(try await a.lease(1, waiting: .zero).isEmpty)
            #expect(try await b.finish(reclaimed.lease, with: .sample()))
        },
    ]
}

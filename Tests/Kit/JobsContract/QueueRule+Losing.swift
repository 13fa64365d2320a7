import Base
import Jobs
import Media
import Support
import Testing

extension QueueRule {
    /// The rules about leases that are lost, and about those that aren't.
    static let losing = [
        QueueRule("after a lease expires another worker gets the job, and a late answer is dropped") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            #expect(try await a.enqueue(.sample(callback: "https://gateway.example/done")) == .accepted)
            let lost = try await a.leaseOne()
            #expect(try await a.start(lost.lease))
            let reclaimed = try await b.rescueOne()
            #expect(reclaimed.job == lost.job)
            #expect(reclaimed.starts == 1)
            #expect(reclaimed.lease != lost.lease)
            #expect(reclaimed.deadline.isNear(lost.deadline))
            #expect(try await !a.start(lost.lease))
            #expect(try await a.renew([lost.lease]) == [lost.lease])
            #expect(try await !a.deadLetter(lost.lease, with: .sample("late")))
            #expect(try await !a.finish(lost.lease, with: .sample("late")))
            #expect(try await a.state(of: lost.job.name, waiting: .zero) == .running)
            #expect(try await b.finish(reclaimed.lease, with: .sample("in time")))
            #expect(try await !a.finish(lost.lease, with: .sample("later")))
            #expect(try await a.state(of: lost.job.name, waiting: .zero) == .finished(.sample("in time")))
            #expect(try await a.leaseCallbacks(9).map(\.reply) == [.sample("in time")])
            #expect(try await a.status().dead == 0)
        },
        QueueRule("a lease holds as long as it is renewed") { queues in
            let leaseTime = Duration.seconds(1)
            var (holder, other) = try await queues.openTwo(QueueLimits(leaseTime: leaseTime))
            #expect(try await holder.enqueue(.sample()) == .accepted)
            var lease = try await holder.leaseOne().lease
            let time = SystemTime()
            var renewed = time.now
            let end = time.now + leaseTime * 2.5
            while time.now < end {
                let before = time.now
                let lost = try await holder.renew([lease])
                let reclaimed = try await other.reclaim(1)
                // If the machine stood still for as long as a lease, losing it is right.
                guard time.now - renewed < leaseTime / 2 else {
                    if let saved = reclaimed.first {
                        lease = saved.lease
                        swap(&holder, &other)
                    }
                    renewed = before
                    continue
                }
                #expect(lost.isEmpty)
                #expect(reclaimed.isEmpty)
                renewed = before
                try await time.sleep(for: leaseTime / 20)
            }
            #expect(try await holder.finish(lease, with: .sample()))
        },
        QueueRule("renewing names the leases that are lost, and only those") { queues in
            let queue = try await queues.open()
            for id in ["1", "2", "3"] { #expect(try await queue.enqueue(.sample(id)) == .accepted) }
            let leases = try await queue.lease(3, waiting: .zero).map(\.lease)
            #expect(try await queue.finish(leases[1], with: .sample()))
            #expect(try await queue.renew(leases) == [leases[1]])
            #expect(try await queue.renew([]).isEmpty)
        },
        QueueRule("starts are counted across lost leases; leases without a start are not") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            #expect(try await a.enqueue(.sample()) == .accepted)
            #expect(try await a.leaseOne().starts == 0)
            for starts in 0..<3 {
                let job = try await b.rescueOne()
                #expect(job.starts == starts)
                #expect(try await b.start(job.lease))
            }
            #expect(try await b.rescueOne().starts == 3)
        },
        QueueRule("at most the requested number of jobs is reclaimed") { queues in
            let (a, b) = try await queues.openTwo(Queues.shortLeases)
            for id in ["1", "2", "3"] { #expect(try await a.enqueue(.sample(id)) == .accepted) }
            #expect(try await a.lease(3, waiting: .zero).count == 3)
            try await eventually {
                let reclaimed = try await b.reclaim(2).count
                #expect(reclaimed <= 2)
                return reclaimed == 2
            }
        },
    ]
}

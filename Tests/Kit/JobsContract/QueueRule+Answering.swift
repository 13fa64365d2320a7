import Jobs
import Media
import Support
import Testing

extension QueueRule {
    static let answering = [
        QueueRule("a job is answered once") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample()) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(try await queue.start(leased.lease))
            #expect(try await queue.finish(leased.lease, with: .sample("first")))
            #expect(try await !queue.finish(leased.lease, with: .sample("second")))
            #expect(try await !queue.deadLetter(leased.lease, with: .sample("third")))
            #expect(try await !queue.start(leased.lease))
            #expect(try await queue.state(of: leased.job.name, waiting: .zero) == .finished(.sample("first")))
        },
        QueueRule("an answer comes out as it went in") { queues in
            let queue = try await queues.open()
            for status in JobReply.Status.allCases {
                let reply = JobReply(status, body: status == .failed ? [] : (0..<20_000).map { UInt8($0 % 256) })
                #expect(try await queue.enqueue(.sample(status.rawValue)) == .accepted)
                #expect(try await queue.finish(queue.leaseOne().lease, with: reply))
                #expect(try await queue.state(of: JobName(id: status.rawValue), waiting: .zero) == .finished(reply))
            }
        },
        QueueRule("a caller that doesn't wait gets the state at once") { queues in
            let queue = try await queues.open()
            let name = JobName(id: "job")
            #expect(try await queue.state(of: name, waiting: .zero) == .unknown)
            #expect(try await queue.state(of: name, waiting: .seconds(600)) == .unknown)
            #expect(try await queue.enqueue(.sample()) == .accepted)
            #expect(try await queue.state(of: name, waiting: .zero) == .waiting)
            #expect(try await queue.state(of: name, waiting: .milliseconds(20)) == .waiting)
            _ = try await queue.leaseOne()
            #expect(try await queue.state(of: name, waiting: .zero) == .running)
        },
        QueueRule("a caller that waits for an answer gets it, even from another worker") { queues in
            let (a, b) = try await queues.openTwo()
            #expect(try await a.enqueue(.sample()) == .accepted)
            async let here = a.state(of: JobName(id: "job"), waiting: .seconds(60))
            async let there = b.state(of: JobName(id: "job"), waiting: .seconds(60))
            #expect(try await b.finish(b.leaseOne().lease, with: .sample()))
            #expect(try await here == .finished(.sample()))
            #expect(try await there == .finished(.sample()))
        },
        QueueRule("a wait for an answer can be cancelled") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample()) == .accepted)
            let waiting = Task { try await queue.state(of: JobName(id: "job"), waiting: .seconds(600)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        },
        QueueRule("an answer is kept for its retention time, and then the name is free again") { queues in
            let queue = try await queues.open(QueueLimits(leaseTime: .seconds(600), replyTime: .milliseconds(50)))
            let job = Job.sample(within: .milliseconds(50))
            #expect(try await queue.enqueue(job) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            try await eventually { try await queue.state(of: job.name, waiting: .zero) == .unknown }
            #expect(try await queue.enqueue(job) == .accepted)
        },
        QueueRule("a waiting job can be withdrawn; a leased or answered one can't") { queues in
            let queue = try await queues.open()
            let name = JobName(id: "job")
            #expect(try await queue.cancel(name) == .unknown)
            #expect(try await queue.enqueue(.sample()) == .accepted)
            #expect(try await queue.cancel(name) == .cancelled)
            guard case .finished(let reply) = try await queue.state(of: name, waiting: .zero) else {
                Issue.record("a cancelled job has no answer")
                return
            }
            #expect(reply.status == .cancelled)
            #expect(try await queue.cancel(name) == .finished)
            #expect(try await queue.enqueue(.sample()) == .finished(reply))
            #expect(try await queue.lease(1, waiting: .milliseconds(20)).isEmpty)

            #expect(try await queue.enqueue(.sample("running")) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(try await queue.cancel(leased.job.name) == .running)
            #expect(try await queue.finish(leased.lease, with: .sample()))
        },
    ]
}

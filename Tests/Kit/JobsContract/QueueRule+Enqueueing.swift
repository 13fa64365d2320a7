import Base
import Jobs
import Media
import Testing

extension QueueRule {
    static let enqueueing = [
        QueueRule("a job comes out as it went in") { queues in
            let queue = try await queues.open()
            let job = Job(
                id: String(repeating: "ü", count: 64),
                tenant: "daily_news.1-a",
                priority: .low,
                timeLimit: .milliseconds(12_345),
                content: (0..<Job.contentByteLimit).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) },
                answer: Job.Answer(callback: "https://gateway.example/done?a=1&b=%20", producer: "gateway-1"),
                trace: TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=1,b=2"),
            )
            let before = SystemTime().now
            #expect(try await queue.enqueue(job) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(leased.job == job)
            #expect(leased.starts == 0)
            #expect((leased.deadline - leased.enqueued).milliseconds == 12_345)
            #expect(leased.enqueued.isNear(before))
        },
        QueueRule("a job without callback, producer and trace has none when it is leased") { queues in
            let queue = try await queues.open()
            let job = Job(id: "j", timeLimit: .seconds(1), content: [])
            #expect(try await queue.enqueue(job) == .accepted)
            #expect(try await queue.leaseOne().job == job)
        },
        QueueRule("a job that is submitted twice is the same job, until its answer is forgotten") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample()) == .accepted)
            #expect(try await queue.enqueue(.sample()) == .known)
            let leased = try await queue.leaseOne()
            #expect(try await queue.enqueue(.sample()) == .known)
            #expect(try await queue.lease(1, waiting: .zero).isEmpty)
            #expect(try await queue.finish(leased.lease, with: .sample()))
            #expect(try await queue.enqueue(.sample()) == .finished(.sample()))
            #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        },
        QueueRule("a name counts within its tenant") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample("j", tenant: "a")) == .accepted)
            #expect(try await queue.enqueue(.sample("j", tenant: "b")) == .accepted)
            // The two names differ, however they are joined.
            #expect(try await queue.enqueue(.sample("b.c", tenant: "a")) == .accepted)
            #expect(try await queue.enqueue(.sample("c", tenant: "a.b")) == .accepted)
            #expect(try await queue.status().waiting == 4)
        },
        QueueRule("a full queue refuses jobs, and takes them again once a job is answered or withdrawn") { queues in
            let queue = try await queues.open(QueueLimits(backlog: 2, leaseTime: .seconds(600)))
            #expect(try await queue.enqueue(.sample("1")) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(try await queue.enqueue(.sample("2")) == .accepted)
            #expect(try await queue.enqueue(.sample("3")) == .busy)
            #expect(try await queue.enqueue(.sample("2")) == .known)
            #expect(try await queue.finish(leased.lease, with: .sample()))
            #expect(try await queue.enqueue(.sample("3")) == .accepted)
            #expect(try await queue.enqueue(.sample("1")) == .finished(.sample()))
            #expect(try await queue.cancel(JobName(id: "3")) == .cancelled)
            #expect(try await queue.enqueue(.sample("4")) == .accepted)
            #expect(try await queue.enqueue(.sample("5")) == .busy)
            #expect(try await queue.state(of: JobName(id: "5"), waiting: .zero) == .unknown)
        },
        QueueRule("a tenant has its share of the queue and leaves the others theirs") { queues in
            let queue = try await queues.open(QueueLimits(backlog: 4, tenantBacklog: 2, leaseTime: .seconds(600)))
            #expect(try await queue.enqueue(.sample("1", tenant: "loud")) == .accepted)
            #expect(try await queue.enqueue(.sample("2", tenant: "loud")) == .accepted)
            #expect(try await queue.enqueue(.sample("3", tenant: "loud")) == .overShare)
            #expect(try await queue.enqueue(.sample("3", tenant: "quiet")) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(leased.job.tenant == "loud")
            #expect(try await queue.enqueue(.sample("3", tenant: "loud")) == .overShare)
            #expect(try await queue.finish(leased.lease, with: .sample()))
            #expect(try await queue.enqueue(.sample("3", tenant: "loud")) == .accepted)
        },
        QueueRule("a queue is full by the bytes of its jobs, too, and a tenant has its share of them") { queues in
            let limits = QueueLimits(backlog: 8, backlogBytes: 1000, tenantBacklog: 4, leaseTime: .seconds(600))
            let queue = try await queues.open(limits)
            func job(_ id: String, _ byteCount: Int, tenant: String = Job.defaultTenant, callback: String? = nil) -> Job
            {
                let content = [UInt8](repeating: 32, count: byteCount)
                let answer = Job.Answer(callback: callback)
                return Job(id: id, tenant: tenant, timeLimit: .seconds(60), content: content, answer: answer)
            }
            #expect(try await queue.enqueue(job("1", 501, tenant: "a")) == .overShare)
            #expect(try await queue.enqueue(job("1", 500, tenant: "a", callback: "https://a/")) == .accepted)
            #expect(try await queue.enqueue(job("2", 1, tenant: "a")) == .overShare)
            #expect(try await queue.enqueue(job("2", 501, tenant: "b")) == .busy)
            #expect(try await queue.enqueue(job("2", 500, tenant: "b")) == .accepted)
            #expect(try await queue.enqueue(job("3", 1, tenant: "c")) == .busy)
            // The bytes of an answer that waits for its callback do not count.
            #expect(try await queue.finish(try await queue.leaseOne().lease, with: .sample()))
            #expect(try await queue.enqueue(job("3", 400, tenant: "a")) == .accepted)
            #expect(try await queue.cancel(JobName(id: "3", tenant: "a")) == .cancelled)
            #expect(try await queue.forget(.all(tenant: "b")) > 0)
            #expect(try await queue.enqueue(job("4", 500, tenant: "b")) == .accepted)
            #expect(try await queue.deadLetter(try await queue.leaseOne().lease, with: .sample()))
            #expect(try await queue.enqueue(job("5", 1, tenant: "b")) == .accepted)
            #expect(try await queue.retryDeadLetter(JobName(id: "4", tenant: "b")) == .overShare)
            #expect(try await queue.cancel(JobName(id: "5", tenant: "b")) == .cancelled)
            #expect(try await queue.retryDeadLetter(JobName(id: "4", tenant: "b")) == .accepted)
        },
        QueueRule("an invalid job is refused") { queues in
            let queue = try await queues.open()
            let tooLong = String(repeating: "x", count: Job.nameByteLimit + 1)
            let bad = [
                Job.sample(""), .sample(tooLong), .sample(tenant: ""), .sample(tenant: tooLong), .sample(within: .zero),
                .sample(within: .seconds(Int64.max)),
                Job(id: "j", timeLimit: .seconds(1), content: [UInt8](repeating: 0, count: Job.contentByteLimit + 1)),
            ]
            for job in bad {
                let error = await #expect(throws: JobQueueError.self) { try await queue.enqueue(job) }
                #expect(error?.reason == .badJob)
            }
            #expect(try await queue.status().waiting == 0)
        },
    ]
}

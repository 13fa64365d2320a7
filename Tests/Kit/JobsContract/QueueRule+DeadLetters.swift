import Base
import Jobs
import Media
import Testing

extension QueueRule {
    static let deadLetters = [
        QueueRule("a dead-lettered job is answered, and kept among the dead letters") { queues in
            let queue = try await queues.open()
            let job = Job.sample(priority: .low, callback: "https://gateway.example/done")
            #expect(try await queue.enqueue(job) == .accepted)
            let leased = try await queue.leaseOne()
            #expect(try await queue.start(leased.lease))
            let reply = JobReply(.poison, body: [1, 2, 3])
            #expect(try await queue.deadLetter(leased.lease, with: reply))
            #expect(try await !queue.finish(leased.lease, with: .sample()))
            #expect(try await queue.state(of: job.name, waiting: .zero) == .finished(reply))
            #expect(try await queue.leaseCallback().reply == reply)
            let letters = try await queue.deadLetters(9)
            #expect(letters.map(\.job) == [job])
            #expect(letters.map(\.starts) == [1])
            let status = try await queue.status()
            #expect([status.dead, status.waiting, status.running] == [1, 0, 0])
        },
        QueueRule("the newest dead letters come first, and all are forgotten at once") { queues in
            let queue = try await queues.open()
            for id in ["1", "2", "3"] {
                #expect(try await queue.enqueue(.sample(id)) == .accepted)
                #expect(try await queue.deadLetter(queue.leaseOne().lease, with: JobReply(.poison, body: [])))
            }
            #expect(try await queue.deadLetters(2).map(\.job.id) == ["3", "2"])
            #expect(try await queue.purgeDeadLetters() == 3)
            #expect(try await queue.purgeDeadLetters() == 0)
            #expect(try await queue.deadLetters(9).isEmpty)
        },
        QueueRule("all that the queue has of a job can be removed, and of all jobs of a tenant") { queues in
            let queue = try await queues.open()
            for tenant in ["person", "other"] {
                let url = "https://gateway.example/done"
                let jobs = ["finished", "posted", "dead", "running", "waiting"].map { id in
                    Job.sample(id, tenant: tenant, callback: id == "posted" ? url : nil)
                }
                var leases: [String: Lease] = [:]
                for job in jobs {
                    #expect(try await queue.enqueue(job) == .accepted)
                    if job.id != "waiting" { leases[job.id] = try await queue.leaseOne().lease }
                }
                for id in ["finished", "posted"] {
                    #expect(try await queue.finish(try #require(leases[id]), with: .sample()))
                }
                #expect(try await queue.deadLetter(try #require(leases["dead"]), with: JobReply(.poison, body: [])))
                #expect(try await queue.start(try #require(leases["running"])))
                if tenant == "person" {
                    #expect(try await queue.forget(.one(JobName(id: "waiting", tenant: tenant))) > 0)
                    #expect(try await queue.forget(.one(JobName(id: "waiting", tenant: tenant))) == 0)
                    #expect(try await queue.forget(.all(tenant: tenant)) > 0)
                    #expect(try await queue.finish(try #require(leases["running"]), with: .sample()) == false)
                    for job in jobs {
                        #expect(try await queue.state(of: job.name, waiting: .zero) == .unknown, "\(job.id)")
                    }
                    let status = try await queue.status()
                    #expect([status.dead, status.waiting, status.running, status.callbacks] == [0, 0, 0, 0])
                    #expect(try await queue.forget(.all(tenant: tenant)) == 0)
                }
            }
            let status = try await queue.status()
            #expect([status.dead, status.waiting, status.running, status.callbacks] == [1, 1, 1, 1])
            // A name that was removed is new.
            #expect(try await queue.enqueue(.sample("waiting", tenant: "person")) == .accepted)
        },
        QueueRule("a dead letter can be retried as if it were new") { queues in
            let queue = try await queues.open()
            let job = Job.sample(within: .seconds(20))
            #expect(try await queue.retryDeadLetter(job.name) == nil)
            #expect(try await queue.enqueue(job) == .accepted)
            let deadLettered = try await queue.leaseOne()
            #expect(try await queue.start(deadLettered.lease))
            #expect(try await queue.deadLetter(deadLettered.lease, with: JobReply(.poison, body: [])))
            #expect(try await queue.retryDeadLetter(job.name) == .accepted)
            #expect(try await queue.state(of: job.name, waiting: .zero) == .waiting)
            let again = try await queue.leaseOne()
            #expect(again.job == job)
            #expect(again.starts == 0)
            #expect((again.deadline - again.enqueued).milliseconds == 20_000)
            #expect(try await queue.retryDeadLetter(job.name) == nil)
            #expect(try await !queue.finish(deadLettered.lease, with: .sample("late")))
            #expect(try await queue.finish(again.lease, with: .sample()))
        },
        QueueRule("a dead letter stays one while the queue is full") { queues in
            let queue = try await queues.open(QueueLimits(backlog: 1, leaseTime: .seconds(600)))
            #expect(try await queue.enqueue(.sample("dead")) == .accepted)
            #expect(try await queue.deadLetter(queue.leaseOne().lease, with: JobReply(.poison, body: [])))
            #expect(try await queue.enqueue(.sample("other")) == .accepted)
            #expect(try await queue.retryDeadLetter(JobName(id: "dead")) == .busy)
            #expect(try await queue.deadLetters(9).map(\.job.id) == ["dead"])
            let reply = JobReply(.poison, body: [])
            #expect(try await queue.state(of: JobName(id: "dead"), waiting: .zero) == .finished(reply))
        },
    ]
}

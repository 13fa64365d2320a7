import Base
import Jobs
import Media
import Support
import Testing

extension QueueRule {
    private static let callback = "https://gateway.example/done"

    static let callingBack = [
        QueueRule("the answer to a job with a callback is posted, and the answer to another isn't") { queues in
            let queue = try await queues.open()
            var job = Job.sample("1", tenant: "news", callback: callback)
            job.trace = TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            for job in [.sample("2"), job] {
                #expect(try await queue.enqueue(job) == .accepted)
                #expect(try await queue.finish(queue.leaseOne().lease, with: .sample("answer \(job.id)")))
            }
            #expect(try await queue.status().callbacks == 1)
            let posted = try await queue.leaseCallback()
            #expect(posted.name == job.name)
            #expect(posted.url == callback)
            #expect(posted.reply == .sample("answer 1"))
            #expect(posted.trace == job.trace)
            #expect(posted.failures == 0)
            #expect(posted.answered.isNear(SystemTime().now))
            #expect(try await queue.leaseCallbacks(9).isEmpty)
            try await queue.finishCallback(posted.lease)
            #expect(try await queue.status().callbacks == 0)
        },
        QueueRule("unposted answers count against the backlog, and against the tenant's share") {
            queues in
            let queue = try await queues.open(QueueLimits(backlog: 3, tenantBacklog: 2, leaseTime: .seconds(600)))
            for id in ["1", "2"] {
                #expect(try await queue.enqueue(.sample(id, tenant: "news", callback: callback)) == .accepted)
                #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            }
            #expect(try await queue.enqueue(.sample("3", tenant: "news")) == .overShare)
            #expect(try await queue.enqueue(.sample("4")) == .accepted)
            #expect(try await queue.enqueue(.sample("5")) == .busy)
            try await queue.finishCallback(queue.leaseCallback().lease)
            #expect(try await queue.enqueue(.sample("3", tenant: "news")) == .accepted)
            #expect(try await queue.enqueue(.sample("5")) == .busy)
        },
        QueueRule("unposted answers are bounded in bytes, too") { queues in
            let queue = try await queues.open(QueueLimits(backlog: 100, answerBytes: 10, leaseTime: .seconds(600)))
            for id in ["1", "2"] { #expect(try await queue.enqueue(.sample(id, callback: callback)) == .accepted) }
            for job in try await queue.lease(2, waiting: .seconds(60)) {
                #expect(try await queue.finish(job.lease, with: .sample("123456")))
            }
            #expect(try await queue.enqueue(.sample("3")) == .busy)
            let first = try await queue.leaseCallback()
            try await queue.finishCallback(first.lease)
            // A worker whose lease is lost changes nothing.
            try await queue.finishCallback(first.lease)
            #expect(try await queue.enqueue(.sample("3")) == .accepted)
            try await queue.finishCallback(queue.leaseCallback().lease)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample("answer without a callback")))
            #expect(try await queue.enqueue(.sample("4")) == .accepted)
        },
        QueueRule("a callback's attempts are counted, including those whose worker died") { queues in
            let queue = try await queues.open(QueueLimits(leaseTime: .seconds(600), callbackTime: .milliseconds(20)))
            #expect(try await queue.enqueue(.sample(callback: callback)) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            let first = try await queue.leaseCallback()
            #expect(first.attempt == 1 && first.failures == 0)
            let second = try await queue.leaseCallback()
            #expect(second.attempt == 2 && second.failures == 0)
            try await queue.postponeCallback(second.lease, by: .zero, isFailure: true)
            let third = try await queue.leaseCallback()
            #expect(third.attempt == 3 && third.failures == 1)
            // No attempt was made.
            try await queue.postponeCallback(third.lease, by: .zero, isFailure: false)
            let fourth = try await queue.leaseCallback()
            #expect(fourth.attempt == 3 && fourth.failures == 1)
        },
        QueueRule("a callback that failed is posted again after its delay, and not before") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample(callback: callback)) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            let first = try await queue.leaseCallback()
            try await queue.postponeCallback(first.lease, by: .milliseconds(20), isFailure: true)
            let second = try await queue.leaseCallback()
            #expect(second.failures == 1)
            #expect(second.answered.isNear(first.answered))
            #expect(second.reply == first.reply)
            try await queue.postponeCallback(second.lease, by: .seconds(3600), isFailure: true)
            #expect(try await queue.leaseCallbacks(9).isEmpty)
            #expect(try await queue.status().callbacks == 1)
        },
        QueueRule("a postponed callback has not failed") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample(callback: callback)) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            let first = try await queue.leaseCallback()
            try await queue.postponeCallback(first.lease, by: .milliseconds(20), isFailure: false)
            #expect(try await queue.leaseCallback().failures == 0)
        },
        QueueRule("a callback whose worker died is posted by another, and the late worker changes nothing") { queues in
            let (a, b) = try await queues.openTwo(
                QueueLimits(leaseTime: .seconds(600), callbackTime: .milliseconds(100))
            )
            #expect(try await a.enqueue(.sample(callback: callback)) == .accepted)
            #expect(try await a.finish(a.leaseOne().lease, with: .sample()))
            let lost = try await a.leaseCallback()
            let reclaimed = try await b.leaseCallback()
            #expect(reclaimed.reply == lost.reply)
            #expect(reclaimed.lease != lost.lease)
            try await a.finishCallback(lost.lease)
            try await a.postponeCallback(lost.lease, by: .seconds(3600), isFailure: true)
            #expect(try await a.status().callbacks == 1)
            #expect(try await b.leaseCallback().failures == 0)
        },
        QueueRule("a callback is posted after its answer is forgotten") { queues in
            let queue = try await queues.open(QueueLimits(leaseTime: .seconds(600), replyTime: .milliseconds(20)))
            let job = Job.sample(within: .milliseconds(20), callback: callback)
            #expect(try await queue.enqueue(job) == .accepted)
            #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            try await eventually { try await queue.state(of: job.name, waiting: .zero) == .unknown }
            #expect(try await queue.leaseCallback().reply == .sample())
        },
        QueueRule("at most the requested number of callbacks is leased") { queues in
            let queue = try await queues.open()
            for id in ["1", "2", "3"] {
                #expect(try await queue.enqueue(.sample(id, callback: callback)) == .accepted)
                #expect(try await queue.finish(queue.leaseOne().lease, with: .sample()))
            }
            var leased = try await queue.leaseCallbacks(2)
            #expect(leased.count == 2)
            leased += try await queue.leaseCallbacks(2)
            #expect(Set(leased.map(\.name.id)) == ["1", "2", "3"])
        },
    ]
}

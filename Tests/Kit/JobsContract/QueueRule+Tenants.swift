import Base
import Jobs
import Media
import Testing

extension QueueRule {
    static let tenants = [
        QueueRule("jobs of tenants other than those that wait at a worker can be leased alone, by priority") { queues in
            let queue = try await queues.open()
            for (number, tenant) in ["campaign", "campaign", "chat", "news", "chat"].enumerated() {
                for priority in Job.Priority.allCases {
                    let job = Job(
                        id: "\(number)-\(priority)",
                        tenant: tenant,
                        priority: priority,
                        timeLimit: .seconds(600),
                        content: [],
                    )
                    #expect(try await queue.enqueue(job) == .accepted)
                }
            }
            func lease(_ tenants: [Job.Priority: Set<String>]) async throws -> Set<String> {
                let extra = ExtraJobs(dueWithin: .seconds(1), tenants: tenants)
                return Set(try await queue.lease(9, only: extra, waiting: .zero).map(\.job.id))
            }
            let all: Set = ["campaign", "chat", "news"]
            #expect(try await lease([.high: all, .low: all]).isEmpty)
            // One of each tenant, so that other workers get the others.
            #expect(try await lease([.high: ["campaign"], .low: all]) == ["2-high", "3-high"])
            #expect(try await lease([.high: ["campaign"], .low: all]) == ["4-high"])
            #expect(try await lease([.high: all, .low: ["chat", "campaign"]]) == ["3-low"])
            #expect(try await queue.lease(9, waiting: .zero).count == 6)
        },
        QueueRule("a tenant's first job is leased at once, however many jobs of another wait before it") { queues in
            let queue = try await queues.open()
            for number in 1...60 {
                let job = Job.sample("\(number)", tenant: "campaign", within: .seconds(20))
                #expect(try await queue.enqueue(job) == .accepted)
            }
            #expect(try await queue.lease(16, waiting: .zero).allSatisfy { $0.job.tenant == "campaign" })
            #expect(try await queue.enqueue(.sample("hello", tenant: "chat", within: .seconds(90))) == .accepted)
            #expect(try await queue.leaseOne().job.name == JobName(id: "hello", tenant: "chat"))
        },
        QueueRule("tenants that wait take turns, and no job is left out or leased twice") { queues in
            let queue = try await queues.open()
            for number in 1...40 {
                for tenant in ["a", "b", "c"] {
                    let seconds = tenant == "a" ? 10 + number : 100 + number
                    let job = Job.sample("\(number)", tenant: tenant, within: .seconds(seconds))
                    #expect(try await queue.enqueue(job) == .accepted)
                }
            }
            var names: [JobName] = []
            while case let jobs = try await queue.lease(7, waiting: .zero), !jobs.isEmpty {
                names += jobs.map(\.job.name)
                guard names.count <= 90 else { continue }
                let counts = ["a", "b", "c"].map { tenant in names.count { $0.tenant == tenant } }
                #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= TenantTurns.lead, "\(counts)")
            }
            #expect(names.count == 120 && Set(names).count == 120)
            for tenant in ["a", "b", "c"] {
                #expect(names.filter { $0.tenant == tenant }.map(\.id) == (1...40).map { "\($0)" })
            }
        },
        QueueRule("high priority goes before low, whatever the tenants") { queues in
            let queue = try await queues.open()
            #expect(try await queue.enqueue(.sample("1", tenant: "chat", priority: .low)) == .accepted)
            for number in 1...3 {
                #expect(try await queue.enqueue(.sample("\(number)", tenant: "campaign")) == .accepted)
            }
            let jobs = try await queue.lease(9, waiting: .zero)
            #expect(jobs.map(\.job.tenant) == ["campaign", "campaign", "campaign", "chat"])
        },
        QueueRule("a job that was given back waits in its tenant's line, and a withdrawn one no longer does") {
            queues in
            let queue = try await queues.open()
            for (id, tenant) in [("1", "a"), ("2", "a"), ("1", "b")] {
                #expect(try await queue.enqueue(.sample(id, tenant: tenant)) == .accepted)
            }
            let leased = try await queue.lease(3, waiting: .zero)
            #expect(leased.count == 3)
            try await queue.giveBack(leased.map(\.lease))
            #expect(try await queue.cancel(JobName(id: "1", tenant: "a")) == .cancelled)
            let again = try await queue.lease(9, waiting: .zero)
            #expect(Set(again.map(\.job.name)) == [JobName(id: "2", tenant: "a"), JobName(id: "1", tenant: "b")])
            for job in again { #expect(try await queue.finish(job.lease, with: .sample())) }
            #expect(try await queue.status().running == 0)
        },
        QueueRule("each named tenant has its share, one may have its own, and jobs without a tenant have the queue") {
            queues in
            let shares = TenantShares(of: 10, percentage: 20, listed: ["news": 30])
            let queue = try await queues.open(QueueLimits(backlog: 10, shares: shares, leaseTime: .seconds(600)))
            func fill(_ tenant: String, _ count: Int) async throws {
                for number in 1...count {
                    #expect(try await queue.enqueue(.sample("\(number)", tenant: tenant)) == .accepted)
                }
            }
            try await fill("chat", 2)
            #expect(try await queue.enqueue(.sample("3", tenant: "chat")) == .overShare)
            #expect(try await queue.enqueue(.sample("2", tenant: "chat")) == .known)
            try await fill("news", 3)
            #expect(try await queue.enqueue(.sample("4", tenant: "news")) == .overShare)
            try await fill(Job.defaultTenant, 5)
            #expect(try await queue.enqueue(.sample("6")) == .busy)
            #expect(try await queue.enqueue(.sample("5", tenant: "news")) == .busy)
        },
        QueueRule("names that are not listed have one turn and one share together") { queues in
            let shares = TenantShares(of: 600, percentage: 50, listed: ["chat": nil, "news": nil])
            let queue = try await queues.open(QueueLimits(backlog: 600, shares: shares, leaseTime: .seconds(600)))
            for number in 0..<300 {
                let job = Job.sample("\(number)", tenant: "invented-\(number)", within: .seconds(20))
                #expect(try await queue.enqueue(job) == .accepted)
            }
            #expect(try await queue.enqueue(.sample("1", tenant: "one-more", within: .seconds(20))) == .overShare)
            for number in 0..<20 {
                for tenant in ["chat", "news"] {
                    let job = Job.sample("\(number)", tenant: tenant, within: .seconds(90))
                    #expect(try await queue.enqueue(job) == .accepted)
                }
            }
            // Urgency puts the others ahead by some turns, and no further.
            let first = try await queue.lease(40, waiting: .zero)
            for tenant in ["chat", "news"] { #expect(first.count { $0.job.tenant == tenant } >= 10) }
            // A worker that has one of them gets no more of their line in addition.
            let extra = ExtraJobs(dueWithin: .zero, tenants: [.high: ["invented-299", "chat", "news"]])
            #expect(try await queue.lease(9, only: extra, waiting: .zero).isEmpty)
            let invented = try #require(first.first { $0.job.tenant.hasPrefix("invented") })
            #expect(try await queue.finish(invented.lease, with: .sample()))
            #expect(try await queue.enqueue(.sample("1", tenant: "one-more", within: .seconds(20))) == .accepted)
        },
        QueueRule("more tenants than one lease looks at all have their turns") { queues in
            let queue = try await queues.open()
            for number in 1...300 {
                #expect(try await queue.enqueue(.sample("j", tenant: "tenant-\(number)")) == .accepted)
            }
            var tenants: Set<String> = []
            while case let jobs = try await queue.lease(16, waiting: .zero), !jobs.isEmpty {
                tenants.formUnion(jobs.map(\.job.tenant))
            }
            #expect(tenants.count == 300)
        },
    ]
}

import Base
import Jobs
import Media
import Testing

extension QueueRule {
    static let scaling = [
        QueueRule("the load counts waiting jobs by their deadlines, jobs in progress, and all jobs that arrived") {
            queues in
            let queue = try await queues.open()
            let before = try await queue.load().load
            #expect(before.waiting == 0 && before.running == 0 && before.due.allSatisfy { $0.count == 0 })
            #expect(before.due.map(\.within) == QueueLoad.horizons)
            for (id, seconds) in [("a", 1000), ("b", 4000), ("c", 4000), ("d", 50_000)] {
                #expect(try await queue.enqueue(.sample(id, tenant: id, within: .seconds(seconds))) == .accepted)
            }
            var load = try await queue.load().load
            #expect(load.waiting == 4 && load.arrived - before.arrived == 4)
            func due(within seconds: Int) -> Int? { load.due.first { $0.within == .seconds(seconds) }?.count }
            #expect([600, 1800, 7200, 86_400].map(due) == [0, 1, 3, 4])
            let leased = try await queue.leaseOne()
            load = try await queue.load().load
            #expect(load.waiting == 3 && load.running == 1 && due(within: 1800) == 0)
            #expect(try await queue.finish(leased.lease, with: .sample()))
            load = try await queue.load().load
            #expect(load.waiting == 3 && load.running == 0 && load.arrived - before.arrived == 4)
            #expect(load.now >= before.now)
        },
        QueueRule("a worker's report counts until the worker leaves") { queues in
            let queue = try await queues.open()
            #expect(try await queue.load().load.workers.isEmpty)
            let reports = [
                WorkerReport(slots: 64, running: 3, jobsPerSecond: nil),
                WorkerReport(slots: 64, running: 9, jobsPerSecond: 12.5),
            ]
            for report in reports {
                try await queue.report(report)
                #expect(try await queue.load().load.workers == [report])
            }
        },
        QueueRule("what the scaling rule remembers is replaced only by one who knows it") { queues in
            let (a, b) = try await queues.openTwo()
            #expect(try await a.load().scaling == nil)
            #expect(try await a.storeScaling("1", replacing: nil))
            #expect(try await !a.storeScaling("2", replacing: nil))
            #expect(try await !b.storeScaling("2", replacing: "3"))
            #expect(try await b.load().scaling == "1")
            #expect(try await b.storeScaling("2", replacing: "1"))
            #expect(try await a.load().scaling == "2")
        },
    ]
}

package import Jobs
import Media
import Timing

extension RedisJobQueue {
    package func report(_ report: WorkerReport) async throws {
        let rate = report.jobsPerSecond.map { "\($0)" } ?? ""
        let lifetime = "\(WorkerReport.lifetime.milliseconds)"
        try await run(.report, [worker, lifetime, "\(report.slots)", "\(report.running)", rate])
    }

    package func load() async throws -> (load: QueueLoad, scaling: String?) {
        let horizons = QueueLoad.horizons.map { "\($0.milliseconds)" }
        let reply = try await run(.load, [worker] + horizons)
        guard let parts = reply.elements, parts.count == 8, let scaling = parts[5].text,
            let due = parts[6].elements?.map(\.integer), due.count == horizons.count, let workers = parts[7].elements
        else { throw Self.invalidReply("an invalid load") }
        let numbers = parts[..<5].compactMap(\.integer) + due.compactMap(\.self)
        guard numbers.count == 5 + due.count, numbers.allSatisfy((0...ServerClock.latest).contains) else {
            throw Self.invalidReply("an invalid load")
        }
        let load = QueueLoad(
            now: numbers[0],
            due: zip(QueueLoad.horizons, numbers[5...]).map { QueueLoad.Due(within: $0, count: $1) },
            waiting: numbers[1],
            running: numbers[2],
            callbacks: numbers[3],
            arrived: numbers[4],
            workers: workers.compactMap(Self.report),
        )
        return (load, scaling.isEmpty ? nil : scaling)
    }

    /// Reads a worker's report. Returns `nil` if another program wrote it.
    private static func report(_ reply: RedisReply) -> WorkerReport? {
        guard let fields = reply.elements, fields.count == 3, let slots = fields[0].text.flatMap({ Int($0) }),
            let running = fields[1].text.flatMap({ Int($0) }), LeasedCallback.sensibleCounts.contains(slots),
            LeasedCallback.sensibleCounts.contains(running)
        else { return nil }
        let rate = fields[2].text.flatMap { Double($0) }.flatMap { rate in
            WorkerReport.sensibleRates.contains(rate) ? rate : nil
        }
        return WorkerReport(slots: slots, running: running, jobsPerSecond: rate)
    }

    package func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        try await run(.storeScaling, [former ?? "", text]).integer == 1
    }
}

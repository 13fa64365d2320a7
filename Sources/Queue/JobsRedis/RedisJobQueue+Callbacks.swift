package import Jobs
import Media
import Timing

extension RedisJobQueue {
    package func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] {
        guard limit > 0 else { return [] }
        // A lease that is not confirmed would count as an attempt to post, although nothing is posted.
        try await confirm()
        let asked = time.now
        let reply = try await run(.leaseCallbacks, ["\(limit)", "\(limits.callbackTime.milliseconds)"])
        guard let elements = reply.elements, let clock = serverClock(elements.first, asked: asked) else {
            throw Self.invalidReply("an invalid list of callbacks")
        }
        var callbacks: [LeasedCallback] = []
        for element in elements.dropFirst() {
            guard let parts = element.elements, parts.count == 3, let entry = parts[0].text,
                let fence = parts[1].integer, LeasedCallback.sensibleCounts.contains(fence)
            else { throw Self.invalidReply("an invalid callback") }
            let lease = Lease(entry: entry, fence: fence)
            if let callback = Self.callback(parts[2], lease, clock) {
                callbacks.append(callback)
            } else {
                // An entry that another program wrote must not block the others.
                try await finishCallback(lease)
            }
        }
        return callbacks
    }

    private static func callback(_ reply: RedisReply, _ lease: Lease, _ clock: ServerClock) -> LeasedCallback? {
        guard let fields = EntryFields(reply), let name = fields.name, let url = fields.text("cb"),
            url.utf8.count <= Job.callbackByteLimit,
            let status = fields.text("s").flatMap(JobReply.Status.init), let failures = fields.integer("failures"),
            LeasedCallback.sensibleCounts.contains(failures),
            let answered = fields.integer("at").flatMap(clock.instant)
        else { return nil }
        return LeasedCallback(
            lease: lease,
            name: name,
            url: url,
            reply: JobReply(status, body: fields.bytes("y")),
            trace: fields.trace,
            failures: failures,
            // Both leases and failures raise the fence.
            attempt: max(1, lease.fence - failures),
            answered: answered,
        )
    }

    package func finishCallback(_ lease: Lease) async throws {
        try await run(.finishCallback, [lease.entry, "\(lease.fence)"])
    }

    package func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        let delay = "\(max(0, delay.milliseconds))"
        try await run(.postponeCallback, [lease.entry, "\(lease.fence)", delay, isFailure ? "1" : "0"])
    }
}

import GRDB
import Jobs

extension Row {
    /// Reads a job from the columns of `job` or `dead`.
    func job() throws -> Job {
        let enqueued = try milliseconds("enqueued")
        let deadline = try milliseconds("deadline")
        return Job(
            id: try value("id"),
            tenant: try value("tenant"),
            priority: try named("priority"),
            timeLimit: .milliseconds(deadline - enqueued),
            content: try bytes("content"),
            answer: Job.Answer(callback: try optional("callback"), producer: try optional("producer")),
            trace: try trace(),
        )
    }

    func leasedJob(_ clock: UnixClock) throws -> LeasedJob {
        LeasedJob(
            lease: try lease(),
            job: try job(),
            deadline: clock.instant(try milliseconds("deadline")),
            enqueued: clock.instant(try milliseconds("enqueued")),
            starts: try count("starts"),
        )
    }

    func leasedCallback(_ clock: UnixClock) throws -> LeasedCallback {
        let (lease, failures) = (try lease(), try count("failures"))
        return LeasedCallback(
            lease: lease,
            name: try name(),
            url: try value("url"),
            reply: try reply(),
            trace: try trace(),
            failures: failures,
            // Both leases and failures raise the fence.
            attempt: Swift.max(1, lease.fence - failures),
            answered: clock.instant(try milliseconds("answered")),
        )
    }

    func name() throws -> JobName { JobName(id: try value("id"), tenant: try value("tenant")) }

    func reply() throws -> JobReply { JobReply(try named("status"), body: try bytes("body")) }

    private func lease() throws -> Lease {
        Lease(entry: String(try value("seq") as Int), fence: try count("attempt"))
    }

    private func trace() throws -> TraceContext? {
        let parent: String? = try optional("trace_parent")
        return try parent.map { TraceContext(parent: $0, state: try optional("trace_state")) }
    }
}

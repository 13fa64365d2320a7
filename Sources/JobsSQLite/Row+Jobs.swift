import GRDB
import Jobs

extension Row {
    /// A job in the columns of `job` or `dead`.
    func job() throws -> Job {
        let enqueued: Int = try value("enqueued")
        let deadline: Int = try value("deadline")
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
            deadline: clock.instant(try value("deadline")),
            enqueued: clock.instant(try value("enqueued")),
            starts: try value("starts"),
        )
    }

    func leasedCallback(_ clock: UnixClock) throws -> LeasedCallback {
        LeasedCallback(
            lease: try lease(),
            name: try name(),
            url: try value("url"),
            reply: try reply(),
            trace: try trace(),
            failures: try value("failures"),
            answered: clock.instant(try value("answered")),
        )
    }

    func name() throws -> JobName { JobName(id: try value("id"), tenant: try value("tenant")) }

    func reply() throws -> JobReply { JobReply(try named("status"), body: try bytes("body")) }

    private func lease() throws -> Lease {
        Lease(entry: String(try value("seq") as Int), fence: try value("attempt"))
    }

    private func trace() throws -> TraceContext? {
        let parent: String? = try optional("trace_parent")
        return try parent.map { TraceContext(parent: $0, state: try optional("trace_state")) }
    }
}

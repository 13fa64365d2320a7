import Base
import Jobs
import Media
import Support
import Testing

extension Job {
    static func sample(
        _ id: String = "job",
        tenant: String = Job.defaultTenant,
        priority: Priority = .high,
        within timeLimit: Duration = .seconds(30),
        callback: String? = nil,
    ) -> Job {
        Job(
            id: id,
            tenant: tenant,
            priority: priority,
            timeLimit: timeLimit,
            content: [UInt8](#"{"payload":{}}"#.utf8),
            answer: Answer(callback: callback),
        )
    }
}

extension JobReply {
    static func sample(_ text: String = "done") -> JobReply { JobReply(.ok, body: [UInt8](text.utf8)) }
}

extension Instant {
    /// Returns whether two instants are nearly equal: the store's clock has whole milliseconds, and may be another
    /// machine's.
    func isNear(_ other: Instant) -> Bool { abs((self - other).milliseconds) < 60_000 }
}

extension JobQueue {
    /// Waits for the next job. The wait is not part of the test.
    func leaseOne() async throws -> LeasedJob {
        try #require(try await lease(1, waiting: .seconds(60)).first)
    }

    /// Waits for the next available job: a waiting one, or one whose worker lost it.
    func takeOne() async throws -> LeasedJob {
        try await eventually {
            if let job = try await lease(1, waiting: .zero).first { return job }
            return try await reclaim(1).first
        }
    }

    /// Waits for a job whose worker lost it.
    func rescueOne() async throws -> LeasedJob { try await eventually { try await reclaim(1).first } }

    func leaseCallback() async throws -> LeasedCallback {
        try await eventually { try await leaseCallbacks(1).first }
    }
}

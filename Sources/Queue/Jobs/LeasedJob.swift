package import Base
import Media

/// The right to work on a job. It ends after the queue's `leaseTime` unless the worker renews it.
package struct Lease: Sendable, Hashable {
    /// The queue's identifier of the entry.
    package var entry: String
    /// A number that differs for every lease of the same entry. The queue recognizes a late answer by it.
    package var fence: Int

    package init(entry: String, fence: Int) {
        self.entry = entry
        self.fence = fence
    }
}

/// A job that only this worker may work on.
package struct LeasedJob: Sendable, Equatable {
    package var lease: Lease
    package var job: Job
    /// The time at which the producer stops waiting. It may have passed already.
    package var deadline: Instant
    package var enqueued: Instant
    /// The number of times that work on the job was begun and never finished. A high number marks a job that kills its
    /// workers.
    package var starts: Int

    package init(lease: Lease, job: Job, deadline: Instant, enqueued: Instant, starts: Int) {
        self.lease = lease
        self.job = job
        self.deadline = deadline
        self.enqueued = enqueued
        self.starts = starts
    }
}

/// The answer to a finished job, to be posted to its callback.
package struct LeasedCallback: Sendable, Equatable {
    package var lease: Lease
    package var name: JobName
    package var url: String
    package var reply: JobReply
    package var trace: TraceContext?
    /// The number of failed attempts to post it.
    package var failures: Int
    /// The number of this attempt, from 1. Attempts whose worker died count too.
    package var attempt: Int
    /// The time at which the job was answered.
    package var answered: Instant

    /// The valid range of a count in a queue. Any other value was written by another program.
    package static let sensibleCounts = 0...1_000_000_000

    package init(
        lease: Lease,
        name: JobName,
        url: String,
        reply: JobReply,
        trace: TraceContext?,
        failures: Int,
        attempt: Int? = nil,
        answered: Instant,
    ) {
        self.lease = lease
        self.name = name
        self.url = url
        self.reply = reply
        self.trace = trace
        self.failures = failures
        self.attempt = attempt ?? failures + 1
        self.answered = answered
    }
}

// MARK: - Extra jobs

/// The jobs that a worker leases even if it has enough jobs, because it must not leave them in the queue.
///
/// Turns are decided where jobs begin, among the tenants that wait there. So of each other tenant, one job of each
/// priority is leased, as far as they fit. And jobs that are due soon need an answer in any case.
package struct ExtraJobs: Sendable, Equatable {
    /// The time within which a job is due soon.
    package var dueWithin: Duration
    /// The tenants that wait at the worker already, by priority.
    package var tenants: [Job.Priority: Set<String>]

    package init(dueWithin: Duration, tenants: [Job.Priority: Set<String>] = [:]) {
        self.dueWithin = dueWithin
        self.tenants = tenants
    }
}

// MARK: - The server's clock

/// The clock of a queue's server, as far as its answers tell.
///
/// The server read its clock at some time between a request and its answer. So each answer gives bounds for the difference
/// between the clocks, and wide ones if the answer was late. The estimate stays where it is within these bounds, so that the
/// delay of one answer does not move deadlines into the future.
package struct RemoteClock: Sendable {
    /// The time of the local clock at which the server's clock showed 0.
    private var origin: Duration?

    package init() {}

    /// A Boolean value that indicates whether there was a reading.
    package var isKnown: Bool { origin != nil }

    /// Takes a reading of the server's clock, and returns the local time at which it was made.
    package mutating func instant(of reading: Duration, asked: Instant, received: Instant) -> Instant {
        let (earliest, latest) = (asked.sinceOrigin - reading, received.sinceOrigin - reading)
        // At first, a deadline is better taken too early than too late.
        let origin = min(max(self.origin ?? earliest, earliest), latest)
        self.origin = origin
        return Instant(sinceOrigin: origin + reading)
    }
}

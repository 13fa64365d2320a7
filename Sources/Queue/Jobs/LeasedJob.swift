import Media
package import Timing

/// The right to work on a job: it holds until its time is up, or as long as it is renewed.
package struct Lease: Sendable, Hashable {
    /// The queue's own name of the entry.
    package var entry: String
    /// Tells this lease from all others of the same entry, earlier and later: a late answer is recognised by it.
    package var fence: Int

    package init(entry: String, fence: Int) {
        self.entry = entry
        self.fence = fence
    }
}

/// A job that this worker may work on, and nobody else.
package struct LeasedJob: Sendable, Equatable {
    package var lease: Lease
    package var job: Job
    /// When the producer waits no longer. It may have passed already.
    package var deadline: Instant
    package var enqueued: Instant
    /// How many times work on it was begun and never finished. A job that kills its worker is known by this.
    package var starts: Int

    package init(lease: Lease, job: Job, deadline: Instant, enqueued: Instant, starts: Int) {
        self.lease = lease
        self.job = job
        self.deadline = deadline
        self.enqueued = enqueued
        self.starts = starts
    }
}

/// The answer to a finished job that is still to be posted to its callback.
package struct LeasedCallback: Sendable, Equatable {
    package var lease: Lease
    package var name: JobName
    package var url: String
    package var reply: JobReply
    package var trace: TraceContext?
    /// How many times posting it failed.
    package var failures: Int
    /// The number of this try, from 1. Tries whose worker died count too.
    package var attempt: Int
    /// When the job was answered.
    package var answered: Instant

    /// What a count in a queue can be; anything else was written by another program.
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

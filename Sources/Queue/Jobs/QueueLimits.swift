package import Base

/// The limits of a queue's size and of its waiting times.
package struct QueueLimits: Sendable, Equatable {
    /// The maximum number of open jobs and of answers still to be posted. The queue refuses further jobs.
    package var backlog: Int
    /// The maximum size of all open jobs, in bytes. Each tenant has the same share of it as of `backlog`.
    package var backlogBytes: Int
    /// The maximum number of them for one tenant.
    package var tenantBacklog: Int
    /// The shares of single tenants, which override `tenantBacklog`.
    package var shares: TenantShares
    /// The maximum size of all answers still to be posted, in bytes. At this size, the queue refuses jobs.
    package var answerBytes: Int
    /// The time after which a lease is lost if its worker does not renew it.
    package var leaseTime: Duration
    /// The time for which the queue keeps an answer.
    package var replyTime: Duration
    /// The duration of a callback's lease. Afterwards another worker may lease the callback.
    package var callbackTime: Duration

    package init(
        backlog: Int = 100_000,
        backlogBytes: Int = 500_000_000,
        tenantBacklog: Int? = nil,
        shares: TenantShares = TenantShares(),
        answerBytes: Int? = nil,
        leaseTime: Duration = .seconds(3),
        replyTime: Duration = .seconds(60),
        callbackTime: Duration = .seconds(30),
    ) {
        self.backlog = backlog
        self.backlogBytes = backlogBytes
        self.tenantBacklog = tenantBacklog ?? backlog
        self.shares = shares
        // 8 KiB for each job: only much larger answers reach this limit before `backlog`.
        self.answerBytes = answerBytes ?? max(1, min(backlog, 1 << 32)) * 8192
        self.leaseTime = leaseTime
        self.replyTime = replyTime
        self.callbackTime = callbackTime
    }
}

extension QueueLimits {
    /// Returns the maximum number of open jobs of `tenant`.
    package func backlog(of tenant: String) -> Int { shares[tenant] ?? tenantBacklog }

    /// Returns the maximum size of open jobs of `tenant`, in bytes.
    package func backlogBytes(of tenant: String) -> Int {
        Int(clamping: Double(backlogBytes) * min(1, Double(self.backlog(of: tenant)) / Double(backlog)))
    }
}

extension Job {
    /// Throws `badJob` if no queue accepts this job.
    package func check() throws(JobQueueError) {
        for (what, name) in [("id", id), ("producer", answer.producer ?? "-")] {
            guard (1...Self.nameByteLimit).contains(name.utf8.count) else {
                throw JobQueueError(.badJob, "A job's \(what) must have 1 to \(Self.nameByteLimit) bytes.")
            }
        }
        guard TenantName.isValid(tenant) else {
            throw JobQueueError(.badJob, "A job's tenant must have \(TenantName.rule).")
        }
        guard (1...Self.callbackByteLimit).contains((answer.callback ?? "-").utf8.count) else {
            throw JobQueueError(.badJob, "A job's callback must have 1 to \(Self.callbackByteLimit) bytes.")
        }
        guard content.count <= Self.contentByteLimit else {
            throw JobQueueError(
                .badJob,
                "A job has at most \(Self.contentByteLimit) bytes. Send larger content by URL."
            )
        }
        guard timeLimit > .zero, timeLimit <= Self.longestTimeLimit else {
            throw JobQueueError(.badJob, "A job's deadline must be above 0, and at most a day.")
        }
    }
}

// MARK: - Shares of tenants

/// The most open jobs of single tenants, so that one tenant's campaign does not fill the queue for the others.
package struct TenantShares: Sendable, Equatable {
    /// The limit of a named tenant without its own limit; `nil` if it has the limit of all tenants.
    package var named: Int?
    /// The limits of tenants by their names.
    package var byName: [String: Int]
    /// The tenants' lines. Tenants that the operator did not list share one line.
    package var lines: TenantLines

    package init(named: Int? = nil, byName: [String: Int] = [:], lines: TenantLines = TenantLines()) {
        self.named = named
        self.byName = byName
        self.lines = lines
    }

    /// Creates the limits from percentages of `backlog`: that of each named tenant, and those of the listed ones, as far as
    /// they have their own.
    package init(of backlog: Int, percentage: Int, listed: [String: Int?]) {
        func part(_ percentage: Int) -> Int {
            let (product, overflows) = backlog.multipliedReportingOverflow(by: percentage)
            return max(1, overflows ? backlog : product / 100)
        }
        self.init(
            named: part(percentage),
            byName: listed.compactMapValues(\.self).mapValues(part),
            lines: TenantLines(listed: Set(listed.keys)),
        )
    }

    /// Returns the name under which work of `tenant` counts.
    package func line(of tenant: String) -> String { lines.line(of: tenant) ?? tenant }

    /// Returns the limit of `tenant`, or `nil` if it has the limit of all tenants.
    package subscript(tenant: String) -> Int? {
        byName[tenant] ?? (tenant == TenantName.unnamed ? nil : named)
    }
}

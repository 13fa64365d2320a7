import Base
import FoundationEssentials
import GRDB
import Jobs
import Media

/// The queue's tables inside a transaction, and the changes to them.
struct JobTables {
    let database: Database
    let clock: UnixClock
    let limits: QueueLimits
    /// The backlog before this transaction.
    let backlog: Backlog
    var changes = Backlog()
    var turns: Turns

    static let deadLetterLimit = 10_000

    init(_ database: Database, clock: UnixClock, limits: QueueLimits, backlog: Backlog, turns: Turns) {
        self.database = database
        self.clock = clock
        self.limits = limits
        self.backlog = backlog
        self.turns = turns
    }

    // MARK: Enqueueing

    mutating func enqueue(_ job: Job) throws -> Enqueued {
        if let reply = try reply(to: job.name) { return .finished(reply) }
        if let refusal = refusal(of: job) { return try isOpen(job.name) ? .known : refusal }
        let now = clock.now
        let isNew = try database.change(
            """
            INSERT INTO job(tenant, id, priority, enqueued, deadline, lease_until,
              callback, producer, trace_parent, trace_state, content)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(tenant, id) DO NOTHING
            """,
            [
                job.tenant, job.id, job.priority.rawValue, now, now + max(1, job.timeLimit.milliseconds), now,
                job.answer.callback, job.answer.producer, job.trace?.parent, job.trace?.state, Data(job.content),
            ]
        )
        guard isNew > 0 else { return .known }
        changes.add(1, bytes: job.content.count, of: limits.shares.line(of: job.tenant))
        return .accepted
    }

    /// Enqueues the newest dead letter of this name.
    mutating func retryDeadLetter(_ name: JobName) throws -> Enqueued? {
        let letter = try database.row(
            "SELECT * FROM dead WHERE tenant = ? AND id = ? ORDER BY seq DESC LIMIT 1",
            [name.tenant, name.id]
        )
        guard let letter else { return nil }
        let job = try letter.job()
        if let refusal = refusal(of: job) { return refusal }
        try database.change("DELETE FROM reply WHERE tenant = ? AND id = ?", [name.tenant, name.id])
        let enqueued = try enqueue(job)
        if enqueued == .accepted {
            try database.change("DELETE FROM dead WHERE seq = ?", [try letter.value("seq") as Int])
        }
        return enqueued
    }

    /// Returns the reason why a job is refused, or `nil` if there is room for it.
    private func refusal(of job: Job) -> Enqueued? {
        var backlog = backlog
        backlog.add(changes)
        let (line, byteCount) = (limits.shares.line(of: job.tenant), job.content.count)
        guard backlog.total.count < limits.backlog, backlog.total.bytes + byteCount <= limits.backlogBytes,
            backlog.answerBytes < limits.answerBytes
        else { return .busy }
        let share = backlog[line]
        let fits =
            share.count < limits.backlog(of: line) && share.bytes + byteCount <= limits.backlogBytes(of: line)
        return fits ? nil : .overShare
    }

    // MARK: Leases

    func start(_ lease: Lease) throws -> Bool {
        try database.change("UPDATE job SET starts = starts + 1 WHERE \(Self.isHeld)", held(lease)) > 0
    }

    /// Renews leases and returns the lost ones.
    func renew(_ leases: [Lease]) throws -> [Lease] {
        let end = clock.now + limits.leaseTime.milliseconds
        return try leases.filter { lease in
            try database.change("UPDATE job SET lease_until = ?3 WHERE \(Self.isHeld)", held(lease) + [end]) == 0
        }
    }

    func giveBack(_ leases: [Lease], isBrokenOff: Bool) throws {
        let changes = isBrokenOff ? "state = 0, starts = max(0, starts - 1)" : "state = 0"
        for lease in leases { try database.change("UPDATE job SET \(changes) WHERE \(Self.isHeld)", held(lease)) }
    }

    private static let isHeld = "seq = ?1 AND attempt = ?2 AND state = 1"

    private func held(_ lease: Lease) -> StatementArguments { [Int(lease.entry), lease.fence] }

    // MARK: Answers

    /// Answers a job. Returns its name, or `nil` if the lease is lost.
    mutating func finish(_ lease: Lease, with reply: JobReply) throws -> JobName? {
        let job = try database.row("DELETE FROM job WHERE \(Self.isHeld) RETURNING *", held(lease))
        return try job.map { try answer($0, with: reply) }
    }

    /// Answers a job and adds it to the dead letters. Returns its name, or `nil` if the lease is lost.
    mutating func deadLetter(_ lease: Lease, with reply: JobReply) throws -> JobName? {
        let copied = try database.change(
            """
            INSERT INTO dead(buried, tenant, id, priority, starts, enqueued, deadline,
              callback, producer, trace_parent, trace_state, content)
            SELECT ?3, tenant, id, priority, starts, enqueued, deadline,
              callback, producer, trace_parent, trace_state, content FROM job WHERE \(Self.isHeld)
            """,
            held(lease) + [clock.now]
        )
        guard copied > 0 else { return nil }
        try database.change(
            "DELETE FROM dead WHERE seq <= (SELECT max(seq) FROM dead) - ?",
            [Self.deadLetterLimit]
        )
        return try finish(lease, with: reply)
    }

    mutating func cancel(_ name: JobName) throws -> Cancellation {
        let job = try database.row(
            "DELETE FROM job WHERE tenant = ? AND id = ? AND state = 0 RETURNING *",
            [name.tenant, name.id]
        )
        if let job {
            changes.add(-1, bytes: -(try Self.byteCount(job)), of: limits.shares.line(of: name.tenant))
            try keep(JobReply(.cancelled, body: [UInt8]("The producer cancelled the job.".utf8)), for: try job.name())
            return .cancelled
        }
        if try isOpen(name) { return .running }
        return try reply(to: name) == nil ? .unknown : .finished
    }

    private mutating func answer(_ job: Row, with reply: JobReply) throws -> JobName {
        let name = try job.name()
        let callback: String? = try job.optional("callback")
        try keep(reply, for: name)
        // Until it is posted, the answer takes the place of the job in the backlog.
        let (line, bytes) = (limits.shares.line(of: name.tenant), try Self.byteCount(job))
        changes.add(callback == nil ? -1 : 0, bytes: -bytes, of: line)
        if let callback {
            changes.answerBytes += reply.body.count
            let now = clock.now
            try database.change(
                """
                INSERT INTO outbox(due, tenant, id, url, answered, trace_parent, trace_state, status, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    now, name.tenant, name.id, callback, now, try job.optional("trace_parent") as String?,
                    try job.optional("trace_state") as String?, reply.status.rawValue, Data(reply.body),
                ]
            )
        }
        return name
    }

    private static func byteCount(_ job: Row) throws -> Int { (try job.value("content") as Data).count }

    private func keep(_ reply: JobReply, for name: JobName) throws {
        try database.change(
            "INSERT OR REPLACE INTO reply(tenant, id, expires, status, body) VALUES (?, ?, ?, ?, ?)",
            [
                name.tenant, name.id, clock.now + limits.replyTime.milliseconds, reply.status.rawValue,
                Data(reply.body),
            ]
        )
    }

    /// Deletes up to 1,000 expired answers, few enough not to delay other changes. Returns whether there may be more.
    func forgetReplies() throws -> Bool {
        try database.change(
            "DELETE FROM reply WHERE rowid IN (SELECT rowid FROM reply WHERE expires <= ? LIMIT 1000)",
            [clock.now]
        ) >= 1000
    }

    func purgeDeadLetters() throws -> Int { try database.change("DELETE FROM dead") }

    mutating func forget(_ jobs: ForgottenJobs) throws -> Int {
        let filter = "WHERE tenant = ?" + (jobs.id == nil ? "" : " AND id = ?")
        let values = StatementArguments([jobs.tenant, jobs.id].compactMap(\.self))
        func remove(from table: String, counting column: String) throws -> (count: Int, bytes: Int) {
            let removed = "DELETE FROM \(table) \(filter) RETURNING length(\(column)) AS bytes"
            let sizes = try database.rows(removed, values).map { try $0.value("bytes") as Int }
            return (sizes.count, sizes.reduce(0, +))
        }
        let open = try remove(from: "job", counting: "content")
        let answers = try remove(from: "outbox", counting: "body")
        let line = limits.shares.line(of: jobs.tenant)
        changes.add(-open.count - answers.count, bytes: -open.bytes, of: line)
        changes.answerBytes -= answers.bytes
        let others = try ["reply", "dead"].map { try database.change("DELETE FROM \($0) \(filter)", values) }
        return open.count + answers.count + others.reduce(0, +)
    }

    // MARK: States of jobs

    func state(of name: JobName) throws -> JobState { try listing.state(of: name) }

    private var listing: JobListing { JobListing(database: database, now: clock.now) }

    private func isOpen(_ name: JobName) throws -> Bool {
        try database.row("SELECT 1 FROM job WHERE tenant = ? AND id = ?", [name.tenant, name.id]) != nil
    }

    private func reply(to name: JobName) throws -> JobReply? { try listing.reply(to: name) }
}

// MARK: - Callbacks

extension JobTables {
    /// Leases due callbacks. A leased callback is due again at the end of its lease.
    func leaseCallbacks(_ limit: Int) throws -> [LeasedCallback] {
        let now = clock.now
        let rows = try database.rows(
            """
            UPDATE outbox SET attempt = attempt + 1, due = ?1
            WHERE seq IN (SELECT seq FROM outbox WHERE due <= ?2 ORDER BY due LIMIT ?3) RETURNING *
            """,
            [now + limits.callbackTime.milliseconds, now, limit]
        )
        return try rows.map { try $0.leasedCallback(clock) }
    }

    mutating func finishCallback(_ lease: Lease) throws {
        let posted = try database.row(
            "DELETE FROM outbox WHERE seq = ? AND attempt = ? RETURNING tenant, length(body) AS bytes",
            [Int(lease.entry), lease.fence]
        )
        guard let posted else { return }
        changes.add(-1, of: limits.shares.line(of: try posted.value("tenant")))
        changes.answerBytes -= try posted.value("bytes") as Int
    }

    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) throws {
        // A new fence ends the lease. If no attempt was made, the fence goes back, so that the lease is not counted.
        try database.change(
            "UPDATE outbox SET attempt = attempt + ?, failures = failures + ?, due = ? WHERE seq = ? AND attempt = ?",
            [isFailure ? 1 : -1, isFailure ? 1 : 0, clock.now + delay.milliseconds, Int(lease.entry), lease.fence]
        )
    }
}

// MARK: - Counts

/// The sizes of the queue in total and for each line of tenants, or the changes of these sizes.
struct Backlog: Sendable {
    /// The number of open jobs and of answers still to be posted, and the bytes of the open jobs.
    typealias Size = (count: Int, bytes: Int)

    private(set) var total: Size = (0, 0)
    /// The size of all answers still to be posted, in bytes.
    var answerBytes = 0
    private var byLine: [String: Size] = [:]

    subscript(line: String) -> Size { byLine[line] ?? (0, 0) }

    mutating func add(_ count: Int, bytes: Int = 0, of line: String) {
        total = (total.count + count, total.bytes + bytes)
        let sum = (self[line].count + count, self[line].bytes + bytes)
        byLine[line] = sum == (0, 0) ? nil : sum
    }

    mutating func add(_ changes: Backlog) {
        answerBytes += changes.answerBytes
        for (line, size) in changes.byLine { add(size.count, bytes: size.bytes, of: line) }
    }
}

extension Backlog {
    /// Counts the rows of the tables.
    init(of database: Database, _ shares: TenantShares) throws {
        for (table, bytes) in [("job", "sum(length(content))"), ("outbox", "0")] {
            let sizes = try Row.fetchAll(
                database,
                sql: "SELECT tenant, count(*) AS count, \(bytes) AS bytes FROM \(table) GROUP BY tenant"
            )
            for row in sizes {
                let line = shares.line(of: try row.value("tenant"))
                add(try row.count("count"), bytes: try row.count("bytes"), of: line)
            }
        }
        answerBytes = try database.count("SELECT coalesce(sum(length(body)), 0) FROM outbox")
    }
}

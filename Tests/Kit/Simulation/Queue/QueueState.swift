import Base
import Jobs

/// The state of a simulated queue: the contract of every engine, in a few lines without a disk.
///
/// Times are those of the queue's own clock.
struct QueueState {
    struct Entry {
        var job: Job
        var enqueued: Duration
        var starts = 0
        var fence = 0
        /// The end of its lease; `nil` while it waits.
        var leasedUntil: Duration?

        var deadline: Duration { enqueued + job.timeLimit }
    }

    struct Callback {
        var name: JobName
        var url: String
        var reply: JobReply
        var answered: Duration
        var due: Duration
        var failures = 0
        var attempt = 0
    }

    let limits: QueueLimits
    var entries: [Int: Entry] = [:]
    var names: [JobName: Int] = [:]
    var replies: [JobName: JobReply] = [:]
    var callbacks: [Int: Callback] = [:]
    var dead: [(job: Job, starts: Int, since: Duration)] = []
    private var turns: [Job.Priority: TenantTurns] = [:]
    private var lastNumber = 0

    init(limits: QueueLimits) { self.limits = limits }

    var openCount: Int { entries.count }
    var leasedCount: Int { entries.values.count { $0.leasedUntil != nil } }

    // MARK: Producers

    mutating func enqueue(_ job: Job, at now: Duration) -> Enqueued {
        if names[job.name] != nil { return .known }
        if let reply = replies[job.name] { return .finished(reply) }
        guard entries.count + callbacks.count < limits.backlog else { return .busy }
        guard entries.values.count(where: { $0.job.tenant == job.tenant }) < limits.backlog(of: job.tenant) else {
            return .overShare
        }
        lastNumber += 1
        entries[lastNumber] = Entry(job: job, enqueued: now)
        names[job.name] = lastNumber
        return .accepted
    }

    mutating func cancel(_ name: JobName, at now: Duration) -> Cancellation {
        guard let number = names[name], let entry = entries[number] else {
            return replies[name] == nil ? .unknown : .finished
        }
        guard entry.leasedUntil == nil else { return .running }
        answer(number, with: JobReply(.cancelled, body: []), at: now)
        return .cancelled
    }

    // MARK: Workers

    mutating func lease(_ limit: Int, only extra: ExtraJobs?, at now: Duration) -> [(number: Int, entry: Entry)] {
        var leased: [(number: Int, entry: Entry)] = []
        for priority in Job.Priority.allCases {
            var others = extra?.tenants[priority] ?? []
            while leased.count < limit, let number = next(priority, besides: others), let entry = entries[number] {
                take(number, at: now)
                turns[priority, default: TenantTurns()].record(entry.job.tenant)
                if let entry = entries[number] { leased.append((number, entry)) }
                // Of extra jobs, each tenant has one.
                if extra != nil { others.insert(entry.job.tenant) }
            }
        }
        if let extra { leased += leaseUrgent(limit - leased.count, dueBy: now + extra.dueWithin, at: now) }
        return leased
    }

    private mutating func leaseUrgent(_ limit: Int, dueBy latest: Duration, at now: Duration)
        -> [(number: Int, entry: Entry)]
    {
        let urgent = entries.filter { $0.value.leasedUntil == nil && $0.value.deadline <= latest }
            .sorted {
                ($0.value.job.priority.rawValue, $0.value.deadline, $0.key)
                    < ($1.value.job.priority.rawValue, $1.value.deadline, $1.key)
            }
        return urgent.prefix(limit).compactMap { number, _ in
            take(number, at: now)
            return entries[number].map { (number, $0) }
        }
    }

    /// Returns the waiting job of that priority that is next: in turns of the tenants but `others`, the most urgent first.
    private func next(_ priority: Job.Priority, besides others: Set<String>) -> Int? {
        var first: [String: (deadline: Duration, number: Int)] = [:]
        for (number, entry) in entries
        where entry.leasedUntil == nil && entry.job.priority == priority && !others.contains(entry.job.tenant) {
            let candidate = (entry.deadline, number)
            if let known = first[entry.job.tenant], known < candidate { continue }
            first[entry.job.tenant] = candidate
        }
        let tenant = turns[priority, default: TenantTurns()].next(among: first.mapValues(\.deadline))
        return tenant.flatMap { first[$0]?.number }
    }

    mutating func reclaim(_ limit: Int, at now: Duration) -> [(number: Int, entry: Entry)] {
        let over = entries.filter { $0.value.leasedUntil.map { $0 <= now } ?? false }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        return over.prefix(limit).compactMap { number, _ in
            take(number, at: now)
            return entries[number].map { (number, $0) }
        }
    }

    private mutating func take(_ number: Int, at now: Duration) {
        entries[number]?.fence += 1
        entries[number]?.leasedUntil = now + limits.leaseTime
    }

    /// Returns the number of the entry that the lease is for, unless the lease is lost.
    func held(_ lease: Lease) -> Int? {
        guard let number = Int(lease.entry), let entry = entries[number], entry.fence == lease.fence,
            entry.leasedUntil != nil
        else { return nil }
        return number
    }

    mutating func start(_ lease: Lease) -> Bool {
        guard let number = held(lease) else { return false }
        entries[number]?.starts += 1
        return true
    }

    mutating func renew(_ leases: [Lease], at now: Duration) -> [Lease] {
        leases.filter { lease in
            guard let number = held(lease) else { return true }
            entries[number]?.leasedUntil = now + limits.leaseTime
            return false
        }
    }

    mutating func finish(_ lease: Lease, with reply: JobReply, at now: Duration) -> Bool {
        guard let number = held(lease) else { return false }
        answer(number, with: reply, at: now)
        return true
    }

    mutating func deadLetter(_ lease: Lease, with reply: JobReply, at now: Duration) -> Bool {
        guard let number = held(lease), let entry = entries[number] else { return false }
        dead.append((entry.job, entry.starts, now))
        answer(number, with: reply, at: now)
        return true
    }

    mutating func giveBack(_ leases: [Lease], isBrokenOff: Bool) {
        for lease in leases {
            guard let number = held(lease), let entry = entries[number] else { continue }
            entries[number]?.leasedUntil = nil
            if isBrokenOff { entries[number]?.starts = max(0, entry.starts - 1) }
        }
    }

    private mutating func answer(_ number: Int, with reply: JobReply, at now: Duration) {
        guard let entry = entries[number] else { return }
        entries[number] = nil
        names[entry.job.name] = nil
        replies[entry.job.name] = reply
        guard let url = entry.job.answer.callback else { return }
        callbacks[number] = Callback(name: entry.job.name, url: url, reply: reply, answered: now, due: now)
    }
}

extension QueueState {
    // MARK: Answers that are posted

    mutating func leaseCallbacks(_ limit: Int, at now: Duration) -> [(number: Int, callback: Callback)] {
        let due = callbacks.filter { $0.value.due <= now }.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        return due.prefix(limit).compactMap { number, _ in
            callbacks[number]?.attempt += 1
            callbacks[number]?.due = now + limits.callbackTime
            return callbacks[number].map { (number, $0) }
        }
    }

    mutating func finishCallback(_ lease: Lease) {
        if let number = posting(lease) { callbacks[number] = nil }
    }

    mutating func postpone(_ lease: Lease, by delay: Duration, isFailure: Bool, at now: Duration) {
        guard let number = posting(lease) else { return }
        callbacks[number]?.due = now + delay
        if isFailure { callbacks[number]?.failures += 1 } else { callbacks[number]?.attempt -= 1 }
    }

    private func posting(_ lease: Lease) -> Int? {
        guard let number = Int(lease.entry), callbacks[number]?.attempt == lease.fence else { return nil }
        return number
    }
}

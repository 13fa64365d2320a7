package import Base
import Media

/// The decisions of a worker: the leased job that begins next, the jobs that are answered without work, and the times.
/// It has no side effects.
///
/// High priority goes before low, then tenants take turns, then the earliest deadline is first. A job that has less time left
/// than jobs usually take gives way to all that have enough: under more load than the worker can carry, it would take
/// the time of another one and be answered without a picture all the same. A job that was begun twice
/// and never ended may have killed its workers, or another job beside it did. From then on it runs alone. Even then the
/// worker can die for another reason: only after five starts alone does the worker answer the job without work and
/// dead-letter it.
package struct WorkerState {
    package enum Action: Equatable, Sendable {
        /// Begin work. Its result is due at `until`.
        case work(LeasedJob, until: Instant)
        /// Answer with the unchanged content.
        case answer(LeasedJob, JobReply.Status)
        /// Answer, and keep the job for an operator to examine.
        case deadLetter(LeasedJob)
        /// End the work and discard its result.
        case stop(Lease)
    }

    private enum Phase {
        case waiting
        case working
        /// The answer is being sent. The worker renews the lease until it has arrived.
        case answering
    }

    private struct Held {
        var job: LeasedJob
        var phase: Phase
        /// The time by which its answer had to begin, by the margin of then; `nil` until the work on it begins or is left out.
        var due: Instant?
        /// The time at which the work on it began.
        var start: Instant?
        /// A Boolean value that indicates whether its answer was due before this worker took it.
        var isOverdue = false
    }

    /// The longest delay that is learnt. A longer one means that the worker or its queue stood still, which no margin helps.
    private static let longestDelay = Duration.seconds(1)
    private static let startsAlone = 2
    /// The maximum time of a job that runs alone, because all other jobs wait for it.
    private static let longestAlone = Duration.seconds(10)
    /// The number of starts after which a job is poison: two beside others and five alone. Of 4,000 jobs whose workers
    /// are killed once a second, about 70 are begun twice in vain, 9 three times and 1 four times.
    private static let startsOfPoison = 7

    private let limits: WorkerLimits
    private var held: [Lease: Held] = [:]
    private var waiting: WaitingJobs
    /// The jobs in progress, and the times at which they are answered at the latest.
    private var working: [Lease: Instant] = [:]
    /// The jobs in progress that a decoder has begun.
    private var begun: Set<Lease> = []
    /// The jobs in progress that have lent their slots, because they wait for pictures that are not there yet.
    private var lent: Set<Lease> = []
    private var window: BeginWindow
    /// The time from the beginning of a job to its result.
    private var workTime: LearntDuration?
    /// The longest recent delay of an answer that this worker caused.
    private var delay = RecentMaximum()
    /// The recent lateness of the clock's timers.
    package var lateness = Duration.zero
    private var isAlone = false
    private(set) var isDraining = false
    /// The time of the last event.
    private var now = Instant(sinceOrigin: .zero)

    package init(limits: WorkerLimits) {
        self.limits = limits
        waiting = WaitingJobs(limits.tenants)
        window = BeginWindow(decoders: limits.decoders, ahead: limits.ahead)
    }

    // MARK: Queries

    /// The number of jobs that the worker can still lease if it must not leave them in the queue.
    package var room: Int { isDraining ? 0 : limits.held - held.count }

    /// The number of jobs that the worker can lease whenever they are due. It is 0 while a job runs alone or is the next to.
    package var roomAhead: Int {
        guard !isAlone, !isNextAlone else { return 0 }
        let (taken, unbegun) = (slotsTaken + waiting.count, slotsTaken - begun.count + waiting.count)
        return min(room, max(0, min(limits.ahead - taken, window.room(beside: unbegun))))
    }

    private var isNextAlone: Bool {
        next.flatMap { held[$0] }.map { $0.job.starts >= Self.startsAlone } ?? false
    }

    /// The jobs to lease while `roomAhead` is 0.
    package var extra: ExtraJobs { ExtraJobs(dueWithin: limits.urgentTime, tenants: waiting.tenants) }

    package var isEmpty: Bool { held.isEmpty }

    package var workingCount: Int { working.count }

    private var slotsTaken: Int { working.count - lent.count }

    /// The number of jobs that wait because all slots are taken.
    package var jobsWithoutSlot: Int { slotsTaken < limits.slots ? 0 : waiting.count }

    /// The leases to renew.
    package var leases: [Lease] { Array(held.keys) }

    package func holds(_ lease: Lease) -> Bool { held[lease] != nil }

    /// Returns whether a refused renewal means that the job is lost. The renewal of a job that is being answered may be
    /// refused because its answer has arrived; otherwise the queue refuses the answer.
    package func canLose(_ lease: Lease) -> Bool { held[lease].map { $0.phase != .answering } ?? false }

    /// The next time at which `timePassed` has something to do.
    package var nextAnswer: Instant? {
        [nextOfWaiting?.answer, working.values.min()].compactMap(\.self).min()
    }

    /// The waiting job that is due next, and the time at which it is answered without work. The time reserved for its
    /// answer grows with the number of jobs that are due about then, because all of them may have to be answered at
    /// once. Jobs that are due much later do not count.
    private var nextOfWaiting: (lease: Lease, answer: Instant)? {
        guard let lease = waiting.soonest?.lease, let job = held[lease]?.job else { return nil }
        let others = max(0, waiting.jobsDueTogether(answerTime: limits.answerTime) - 1)
        return (lease, job.deadline - margin(of: job) - limits.answerTime * others)
    }

    /// Returns the time reserved for the answer of a job: the configured margin, and the recent delay of answers or
    /// timers. For these it takes at most a quarter of the job's time.
    private func margin(of job: LeasedJob) -> Duration {
        limits.margin + min(max(delay.value(at: now), lateness), (job.deadline - job.enqueued) / 4)
    }

    private func isOverdue(_ job: LeasedJob) -> Bool { job.deadline - margin(of: job) <= now }

    // MARK: Events

    package mutating func take(_ jobs: [LeasedJob], now: Instant) -> [Action] {
        self.now = now
        var actions: [Action] = []
        // A server that took over may give this worker a job again under a lease that it already holds.
        for job in jobs where held[job.lease] == nil {
            if job.starts >= Self.startsOfPoison {
                held[job.lease] = Held(job: job, phase: .answering, isOverdue: isOverdue(job))
                actions.append(.deadLetter(job))
            } else {
                held[job.lease] = Held(job: job, phase: .waiting, isOverdue: isOverdue(job))
                waiting.insert(job)
            }
        }
        return actions + timePassed(now)
    }

    /// Answers the jobs that have no time left, and begins as many others as fit.
    package mutating func timePassed(_ now: Instant) -> [Action] {
        self.now = now
        var actions: [Action] = []
        for (lease, time) in working where time <= now {
            guard let job = end(of: lease, as: .answering) else { continue }
            actions += [.stop(lease), .answer(job, .original)]
        }
        while let (lease, answer) = nextOfWaiting, answer <= now {
            guard let job = end(of: lease, as: .answering) else { break }
            actions.append(.answer(job, .expired))
        }
        return actions + begin()
    }

    /// Records that a decoder has begun a job.
    package mutating func decoderBegan(_ lease: Lease) {
        guard working[lease] != nil, begun.insert(lease).inserted else { return }
        window.left()
    }

    /// Lends the slot of a job to others. Returns `false` if a quarter of the slots is lent already, or if it would be of no use.
    package mutating func lend(_ lease: Lease) -> Bool {
        guard working[lease] != nil, !isAlone, lent.count < (limits.slots + 3) / 4 else { return false }
        lent.insert(lease)
        return true
    }

    /// Records that a job goes on. For a moment, more jobs may be in progress than there are slots.
    package mutating func reclaim(_ lease: Lease) { lent.remove(lease) }

    /// Records the number of jobs that wait for a decoder.
    package mutating func decodersHave(waiting count: Int) { window.note(waiting: count) }

    /// Records that the work on a job has ended. Returns `false` if its answer is no longer needed.
    package mutating func worked(_ lease: Lease, now: Instant) -> Bool {
        guard let entry = held[lease], entry.phase == .working else { return false }
        // The time of a job that waited for its origin, or that no decoder had time for, says nothing about others.
        if let start = entry.start, begun.contains(lease), !lent.contains(lease) {
            if workTime == nil { workTime = LearntDuration(now - start) } else { workTime?.learn(now - start) }
        }
        if !begun.contains(lease) { window.left() }
        return end(of: lease, as: .answering) != nil
    }

    /// Records that the answer to a job has arrived or was refused.
    package mutating func answered(_ lease: Lease, now: Instant) -> [Action] {
        // Others caused the delay of a job that was overdue when it came.
        if let entry = held[lease], !entry.isOverdue {
            // By the margin of then: timers that were late meanwhile delayed no answer.
            let late = now - (entry.due ?? entry.job.deadline - margin(of: entry.job))
            if late > .zero, late <= Self.longestDelay { delay.learn(late, at: now) }
        }
        _ = end(of: lease, as: nil)
        // The margin may have changed, so that other jobs are due.
        return timePassed(now)
    }

    /// Records that other workers have these jobs now.
    package mutating func lost(_ leases: [Lease]) -> [Action] {
        let stopped = leases.filter { working[$0] != nil }
        for lease in leases { _ = end(of: lease, as: nil) }
        return stopped.map { .stop($0) } + begin()
    }

    /// The jobs to give back to the queue.
    package struct Returned: Equatable, Sendable {
        package var unstarted: [Lease] = []
        /// The jobs whose work must be stopped first.
        package var brokenOff: [Lease] = []

        var actions: [Action] { brokenOff.map { .stop($0) } }
    }

    /// Stops taking jobs. Returns the jobs that no decoder has begun, for other workers. Jobs that are due before the end of
    /// the drain stay, because another worker would have less time for them.
    package mutating func drain(now: Instant) -> Returned {
        isDraining = true
        let unstarted = waiting.leases
        for lease in unstarted { held[lease] = nil }
        waiting.removeAll()
        let end = now + limits.drainTime + limits.lastTime
        let brokenOff = breakOff { [begun] in !begun.contains($0) && $1 > end }
        return Returned(unstarted: unstarted, brokenOff: brokenOff)
    }

    /// Returns the jobs whose work does not end in time, at the end of the drain.
    package mutating func endDrain(now: Instant) -> Returned {
        let end = now + limits.lastTime
        return Returned(brokenOff: breakOff { $1 > end })
    }

    /// Returns a job whose work ended with less than a complete result while the worker ends, if another one has time for it.
    package mutating func endedShort(_ lease: Lease, now: Instant) -> Returned {
        guard isDraining else { return Returned() }
        let end = now + limits.lastTime
        return Returned(brokenOff: breakOff { $0 == lease && $1 > end })
    }

    /// Lets go of jobs in progress, earliest first. `isChosen` receives their times.
    private mutating func breakOff(where isChosen: (Lease, Instant) -> Bool) -> [Lease] {
        let chosen = working.filter { isChosen($0.key, $0.value) }
            .sorted { ($0.value, $0.key.entry) < ($1.value, $1.key.entry) }
            .map(\.key)
        for lease in chosen { _ = end(of: lease, as: nil) }
        return chosen
    }

    // MARK: Decisions

    /// The number of jobs that are on their way to a decoder. One that takes longer than others waits for its origin, and must
    /// not stop them.
    private var coming: Int {
        let since = workTime.map { now - $0.typical * 2 }
        return working.keys.count { lease in
            guard !begun.contains(lease), !lent.contains(lease), let start = held[lease]?.start else { return false }
            return since.map { start > $0 } ?? true
        }
    }

    /// The job that begins next.
    private var next: Lease? { waiting.first(where: hasTime) ?? waiting.first { _ in true } }

    /// Returns whether a job has the time that jobs usually take. Half of its own time is enough in any case.
    private func hasTime(_ lease: Lease) -> Bool {
        guard let workTime, let job = held[lease]?.job else { return true }
        let left = job.deadline - margin(of: job) - now
        return left >= min(workTime.typical, (job.deadline - job.enqueued) / 2)
    }

    private mutating func begin() -> [Action] {
        var actions: [Action] = []
        while !isAlone, slotsTaken < limits.slots, window.mayBegin(beside: coming), let lease = next,
            let job = held[lease]?.job
        {
            let needsAlone = job.starts >= Self.startsAlone
            // Only a more urgent job overtakes a job that waits to run alone. Otherwise that job would wait forever.
            guard !needsAlone || working.isEmpty else { break }
            isAlone = needsAlone
            waiting.begin(job)
            window.began()
            held[lease]?.phase = .working
            held[lease]?.start = now
            let due = job.deadline - margin(of: job)
            held[lease]?.due = due
            let end = needsAlone ? min(due, now + Self.longestAlone) : due
            // Work returns its partial result at the margin. The extra time is for work that does not end.
            working[lease] = end + limits.margin / 2
            actions.append(.work(job, until: end))
        }
        return actions
    }

    /// Ends a job's waiting or work. `phase` is its next phase, or `nil` if the worker no longer holds it.
    private mutating func end(of lease: Lease, as phase: Phase?) -> LeasedJob? {
        guard let entry = held[lease] else { return nil }
        if entry.phase == .waiting { waiting.remove(entry.job) }
        if working.removeValue(forKey: lease) != nil, working.isEmpty { isAlone = false }
        begun.remove(lease)
        lent.remove(lease)
        let due = entry.due ?? entry.job.deadline - margin(of: entry.job)
        held[lease] = phase.map { Held(job: entry.job, phase: $0, due: due, isOverdue: entry.isOverdue) }
        return entry.job
    }
}

// MARK: - Limits

/// The limits of a worker's jobs, and the time that it reserves for answers.
package struct WorkerLimits: Sendable, Equatable {
    /// The maximum number of jobs in progress. Most of them wait for downloads; decoders have their own limit.
    package var slots: Int
    /// The time before a job's deadline that is reserved to send its answer. A job with less time left is answered
    /// without work.
    package var margin: Duration
    /// The maximum time of one answer. Jobs that wait together are answered one after the other, early enough for the
    /// last.
    package var answerTime: Duration
    /// The time that jobs in progress have to finish after the worker is told to stop. Then they go back to the queue.
    package var drainTime: Duration
    /// The time after `drainTime` in which the worker still answers jobs that are due, because no other worker could help.
    package var lastTime: Duration
    /// The maximum number of leased jobs, waiting or in progress. It is small enough to answer all of them in time.
    package var held: Int
    /// The number of jobs that are leased whenever they are due: those in progress, and a few that begin next. A finished
    /// job makes room for the next one, so that a job of high priority waits for no more than these.
    package var ahead: Int { slots + max(1, min(slots, 16)) }
    /// The number of jobs that can be decoded at the same time; `nil` if the worker leases without regard to it.
    package var decoders: Int?
    /// The remaining time below which a worker leases further jobs, because they need an answer in any case. Other jobs stay
    /// in the queue, where all workers see them. It is long enough to answer as many jobs as `held`.
    package var urgentTime: Duration
    /// The lines in which tenants take turns.
    package var tenants: TenantLines

    package init(
        slots: Int,
        margin: Duration = .milliseconds(50),
        answerTime: Duration = .milliseconds(1),
        drainTime: Duration = .seconds(20),
        lastTime: Duration = .seconds(2),
        held: Int? = nil,
        decoders: Int? = nil,
        urgentTime: Duration = .seconds(5),
        tenants: TenantLines = TenantLines(),
    ) {
        self.slots = slots
        self.margin = margin
        self.answerTime = answerTime
        self.drainTime = drainTime
        self.lastTime = lastTime
        self.held = held ?? 4 * slots + 16
        self.decoders = decoders
        self.urgentTime = urgentTime
        self.tenants = tenants
    }
}

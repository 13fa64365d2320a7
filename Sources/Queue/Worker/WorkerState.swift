package import Jobs
import Media
package import Timing

/// The decisions of a worker: the leased job that begins next, the jobs that are answered without work, and the times.
/// It has no side effects.
///
/// High priority goes before low, then tenants take turns, then the earliest deadline is first. A job that was begun twice
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
    }

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
    private var window: BeginWindow
    /// The longest recent delay of an answer after it was due. It decays slowly.
    private var delay = Duration.zero
    private var isAlone = false
    private var isDraining = false
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
        let (taken, unbegun) = (working.count + waiting.count, working.count - begun.count + waiting.count)
        return min(room, max(0, min(limits.ahead - taken, window.room(beside: unbegun))))
    }

    private var isNextAlone: Bool {
        waiting.first.flatMap { held[$0] }.map { $0.job.starts >= Self.startsAlone } ?? false
    }

    /// The jobs to lease while `roomAhead` is 0.
    package var extra: ExtraJobs { ExtraJobs(dueWithin: limits.urgentTime, tenants: waiting.tenants) }

    package var isEmpty: Bool { held.isEmpty }

    package var workingCount: Int { working.count }

    /// The number of jobs that wait because all slots are taken.
    package var crowd: Int { working.count < limits.slots ? 0 : waiting.count }

    /// The leases to renew.
    package var leases: [Lease] { Array(held.keys) }

    package func holds(_ lease: Lease) -> Bool { held[lease] != nil }

    /// Returns whether a refused renewal means that the job is lost. One that is being answered may be refused because
    /// its answer has arrived; otherwise the queue refuses the answer.
    package func canLose(_ lease: Lease) -> Bool { held[lease].map { $0.phase != .answering } ?? false }

    /// The next time at which `timePassed` has something to do.
    package var nextAnswer: Instant? {
        [waiting.soonest.map { $0.deadline - marginOfWaiting }, working.values.min()].compactMap(\.self).min()
    }

    /// The time reserved for the answer of the waiting job that is due next. It grows with the number of jobs that are due
    /// about then, because all of them may have to be answered at once. Jobs that are due much later do not count.
    private var marginOfWaiting: Duration {
        margin + limits.answerTime * max(0, waiting.crowd(answerTime: limits.answerTime) - 1)
    }

    /// The time reserved for the answer of every job: the configured margin and the recent delay of answers.
    private var margin: Duration { limits.margin + delay }

    // MARK: Events

    package mutating func take(_ jobs: [LeasedJob], now: Instant) -> [Action] {
        var actions: [Action] = []
        // A server that took over may give this worker a job again under a lease that it already holds.
        for job in jobs where held[job.lease] == nil {
            if job.starts >= Self.startsOfPoison {
                held[job.lease] = Held(job: job, phase: .answering)
                actions.append(.deadLetter(job))
            } else {
                held[job.lease] = Held(job: job, phase: .waiting)
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
        while let (deadline, lease) = waiting.soonest, deadline - marginOfWaiting <= now {
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

    /// Records the number of jobs that wait for a decoder.
    package mutating func decodersHave(waiting count: Int) { window.note(waiting: count) }

    /// Records that the work on a job has ended. Returns `false` if its answer is no longer needed.
    package mutating func worked(_ lease: Lease) -> Bool {
        guard held[lease]?.phase == .working else { return false }
        if !begun.contains(lease) { window.left() }
        return end(of: lease, as: .answering) != nil
    }

    /// Records that the answer to a job has arrived or was refused.
    package mutating func answered(_ lease: Lease, now: Instant) -> [Action] {
        if let job = held[lease]?.job {
            let sample = min(max(.zero, now - (job.deadline - margin)), Self.longestDelay)
            delay = max(sample, delay * 0.98)
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

        package init(unstarted: [Lease] = [], brokenOff: [Lease] = []) {
            self.unstarted = unstarted
            self.brokenOff = brokenOff
        }

        var actions: [Action] { brokenOff.map { .stop($0) } }
    }

    /// Stops taking jobs. Returns those that no decoder has begun, for others to work on. Jobs that are due until the end
    /// of the drain stay: another worker would have less time for them.
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

    private mutating func begin() -> [Action] {
        var actions: [Action] = []
        while !isAlone, working.count < limits.slots, let lease = waiting.first, let job = held[lease]?.job {
            let needsAlone = job.starts >= Self.startsAlone
            // Only a more urgent job overtakes one that waits to run alone, or it would wait forever.
            guard !needsAlone || working.isEmpty else { break }
            isAlone = needsAlone
            waiting.begin(job)
            held[lease]?.phase = .working
            let end = needsAlone ? min(job.deadline - margin, now + Self.longestAlone) : job.deadline - margin
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
        held[lease] = phase.map { Held(job: entry.job, phase: $0) }
        return entry.job
    }
}

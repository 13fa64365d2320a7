package import Jobs
import Media
package import Timing

/// Which leased job is begun next, which is answered without work, and when. It decides, and does nothing itself.
///
/// High priority goes before low, and then the earliest deadline is first. A job that was begun twice and never ended may
/// be what killed its workers, or may have been beside it: it runs with nothing beside it. A worker may die then, too,
/// without the job's doing: only when five in a row died with the job alone is it answered unseen and put among the dead
/// letters.
package struct WorkerState {
    package enum Action: Equatable, Sendable {
        /// Begin work; its result is due at `until`.
        case work(LeasedJob, until: Instant)
        /// Answer with the content as it came.
        case answer(LeasedJob, JobReply.Status)
        /// Answer, and keep for people to look at.
        case deadLetter(LeasedJob)
        /// End the work on it. Whatever comes of it goes nowhere.
        case stop(Lease)
    }

    private enum Phase {
        case waiting
        case working
        /// Its answer is on its way, and its lease is renewed until it's there.
        case answering
    }

    private struct Held {
        var job: LeasedJob
        var phase: Phase
    }

    private static let longestDelay = Duration.seconds(1)
    private static let startsAlone = 2
    /// A job that runs alone is answered after this time at the latest: all others wait for it.
    private static let longestAlone = Duration.seconds(10)
    /// Two starts beside others, and five alone. Of 4,000 jobs whose workers are killed once a second, some 70 are begun
    /// twice in vain, 9 a third time and 1 a fourth.
    private static let startsOfPoison = 7

    private let limits: WorkerLimits
    private var held: [Lease: Held] = [:]
    private var waiting = WaitingJobs()
    /// The jobs that are worked on, and when they are answered, whatever becomes of them.
    private var working: [Lease: Instant] = [:]
    /// How long answers took lately from when they were due: the longest, slowly forgotten.
    private var delay = Duration.zero
    private var isAlone = false
    private var isDraining = false
    /// The time of the last event.
    private var now = Instant(sinceOrigin: .zero)

    package init(limits: WorkerLimits) { self.limits = limits }

    // MARK: What is asked of it

    /// How many more jobs it takes.
    package var room: Int { isDraining ? 0 : limits.held - held.count }

    package var isEmpty: Bool { held.isEmpty }

    package var workingCount: Int { working.count }

    /// The number of jobs that wait because as many as may be are worked on.
    package var crowd: Int { working.count < limits.slots ? 0 : waiting.count }

    /// All leases that have to be renewed.
    package var leases: [Lease] { Array(held.keys) }

    package func holds(_ lease: Lease) -> Bool { held[lease] != nil }

    /// When `timePassed` has something to do.
    package var nextAnswer: Instant? {
        [waiting.soonest.map { $0.deadline - marginOfWaiting }, working.values.min()].compactMap(\.self).min()
    }

    /// What is kept of a waiting job's time: more while others wait too, for all may have to be answered at once.
    private var marginOfWaiting: Duration { margin + limits.answerTime * max(0, waiting.count - 1) }

    /// What is kept of every job's time: as much more than the least as answers take here and now.
    private var margin: Duration { limits.margin + delay }

    // MARK: What happens to it

    package mutating func take(_ jobs: [LeasedJob], now: Instant) -> [Action] {
        var actions: [Action] = []
        for job in jobs {
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

    /// Answers what has no time left, and begins what fits.
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

    /// The work on a job ended by itself. `false`: its answer is not wanted any more.
    package mutating func worked(_ lease: Lease) -> Bool {
        guard held[lease]?.phase == .working else { return false }
        return end(of: lease, as: .answering) != nil
    }

    /// The answer to a job is there, or nobody wants it.
    package mutating func answered(_ lease: Lease, now: Instant) -> [Action] {
        if let job = held[lease]?.job {
            let sample = min(max(.zero, now - (job.deadline - margin)), Self.longestDelay)
            delay = max(sample, delay * 0.98)
        }
        _ = end(of: lease, as: nil)
        // With another margin, others may be due.
        return timePassed(now)
    }

    /// Others have these jobs now.
    package mutating func lost(_ leases: [Lease]) -> [Action] {
        let stopped = leases.filter { working[$0] != nil }
        for lease in leases { _ = end(of: lease, as: nil) }
        return stopped.map { .stop($0) } + begin()
    }

    /// Takes nothing more, and leaves what is under way its time to end. What comes back has not begun, and goes back.
    package mutating func drain(now: Instant) -> [Lease] {
        isDraining = true
        let end = now + limits.drainTime
        for (lease, time) in working where time > end { working[lease] = end }
        let unstarted = waiting.leases
        for lease in unstarted { held[lease] = nil }
        waiting.removeAll()
        return unstarted
    }

    // MARK: How it decides

    private mutating func begin() -> [Action] {
        var actions: [Action] = []
        while !isAlone, working.count < limits.slots, let lease = waiting.first, let job = held[lease]?.job {
            let needsAlone = job.starts >= Self.startsAlone
            // Nothing overtakes a job that waits to be alone: it would never be.
            guard !needsAlone || working.isEmpty else { break }
            isAlone = needsAlone
            waiting.remove(job)
            held[lease]?.phase = .working
            let end = needsAlone ? min(job.deadline - margin, now + Self.longestAlone) : job.deadline - margin
            // What the work has brought comes by itself at the margin. The rest is for work that doesn't end.
            working[lease] = end + limits.margin / 2
            actions.append(.work(job, until: end))
        }
        return actions
    }

    /// Ends a job's waiting or work. `phase` is what comes next; `nil`: it is held no more.
    private mutating func end(of lease: Lease, as phase: Phase?) -> LeasedJob? {
        guard let entry = held[lease] else { return nil }
        if entry.phase == .waiting { waiting.remove(entry.job) }
        if working.removeValue(forKey: lease) != nil, working.isEmpty { isAlone = false }
        held[lease] = phase.map { Held(job: entry.job, phase: $0) }
        return entry.job
    }
}

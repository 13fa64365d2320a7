package import Jobs
package import Media

/// Which leased job is begun next, which is answered without work, and when. It decides, and does nothing itself.
///
/// High priority goes before low, and then the earliest deadline is first. A job that was begun twice and never ended may be what killed its workers, or may
/// have been beside it: it runs with nothing beside it. Should that worker die too, it was this job, which is then
/// answered unseen and put among the dead letters.
package struct WorkerState {
    package enum Action: Equatable, Sendable {
        /// Begin work; its result is due at `until`.
        case work(LeasedJob, until: Instant)
        /// Answer with the content as it came.
        case answer(LeasedJob, JobReply.Status)
        /// Answer, and keep for people to look at.
        case bury(LeasedJob)
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
        var phase = Phase.waiting
        /// When it is answered, whatever became of it.
        var answerAt: Instant
    }

    private static let startsAlone = 2
    private static let startsOfPoison = 3

    private let limits: WorkerLimits
    private var held: [Lease: Held] = [:]
    private var working: Set<Lease> = []
    private var isAlone = false
    private var isDraining = false

    package init(limits: WorkerLimits) { self.limits = limits }

    // MARK: What is asked of it

    /// How many more jobs it takes.
    package var room: Int { isDraining ? 0 : limits.held - held.count }

    package var isEmpty: Bool { held.isEmpty }

    package var workingCount: Int { working.count }

    /// All leases that have to be renewed.
    package var leases: [Lease] { Array(held.keys) }

    package func holds(_ lease: Lease) -> Bool { held[lease] != nil }

    /// When `timePassed` has something to do.
    package var nextAnswer: Instant? {
        held.values.filter { $0.phase != .answering }.map(\.answerAt).min()
    }

    // MARK: What happens to it

    package mutating func take(_ jobs: [LeasedJob], now: Instant) -> [Action] {
        var actions: [Action] = []
        for job in jobs {
            held[job.lease] = Held(job: job, answerAt: job.deadline - limits.margin)
            if job.starts >= Self.startsOfPoison {
                held[job.lease]?.phase = .answering
                actions.append(.bury(job))
            }
        }
        return actions + timePassed(now)
    }

    /// Answers what has no time left, and begins what fits.
    package mutating func timePassed(_ now: Instant) -> [Action] {
        var actions: [Action] = []
        for (lease, entry) in held.filter({ $0.value.answerAt <= now }).sorted(by: Self.isMoreUrgent) {
            switch entry.phase {
            case .waiting: actions.append(.answer(entry.job, .expired))
            case .working: actions += [.stop(lease), .answer(entry.job, .original)]
            case .answering: continue
            }
            endWork(lease)
            held[lease]?.phase = .answering
        }
        return actions + begin()
    }

    /// The work on a job ended by itself. `false`: its answer is not wanted any more.
    package mutating func worked(_ lease: Lease) -> Bool {
        guard held[lease]?.phase == .working else { return false }
        endWork(lease)
        held[lease]?.phase = .answering
        return true
    }

    /// The answer to a job is there, or nobody wants it.
    package mutating func answered(_ lease: Lease) -> [Action] {
        held[lease] = nil
        endWork(lease)
        return begin()
    }

    /// Others have these jobs now.
    package mutating func lost(_ leases: [Lease]) -> [Action] {
        let stopped = leases.filter { held.removeValue(forKey: $0)?.phase == .working }
        for lease in stopped { endWork(lease) }
        return stopped.map { .stop($0) } + begin()
    }

    /// Takes nothing more, and leaves what is under way its time to end. What comes back has not begun, and goes back.
    package mutating func drain(now: Instant) -> [Lease] {
        isDraining = true
        let unstarted = held.filter { $0.value.phase == .waiting }.sorted(by: Self.isMoreUrgent).map(\.key)
        for lease in unstarted { held[lease] = nil }
        let end = now + limits.drainTime
        for (lease, entry) in held where entry.answerAt > end { held[lease]?.answerAt = end }
        return unstarted
    }

    // MARK: How it decides

    private mutating func begin() -> [Action] {
        guard !isAlone, working.count < limits.slots else { return [] }
        var actions: [Action] = []
        for (lease, entry) in held.filter({ $0.value.phase == .waiting }).sorted(by: Self.isMoreUrgent) {
            let needsAlone = entry.job.starts >= Self.startsAlone
            // Nothing overtakes a job that waits to be alone: it would never be.
            guard !isAlone, working.count < limits.slots, !needsAlone || working.isEmpty else { break }
            isAlone = needsAlone
            working.insert(lease)
            held[lease]?.phase = .working
            // What the work has brought comes by itself at this time. The rest is for work that doesn't end.
            held[lease]?.answerAt = entry.job.deadline - limits.margin / 2
            actions.append(.work(entry.job, until: entry.job.deadline - limits.margin))
        }
        return actions
    }

    private mutating func endWork(_ lease: Lease) {
        working.remove(lease)
        if working.isEmpty { isAlone = false }
    }

    private static func isMoreUrgent(_ left: (key: Lease, value: Held), _ right: (key: Lease, value: Held)) -> Bool {
        let (left, right) = (left.value.job, right.value.job)
        return (left.job.priority.rawValue, left.deadline, left.lease.entry)
            < (right.job.priority.rawValue, right.deadline, right.lease.entry)
    }
}

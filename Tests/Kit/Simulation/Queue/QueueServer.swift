import Base
import FleetMemory
import Jobs

/// The queue of a run, and the workers that wait for its jobs. Every answer is checked when it is given.
///
/// `@unchecked Sendable`: a run has one thread.
final class QueueServer: @unchecked Sendable {
    /// A worker that waits for the first job.
    private struct Blocked {
        var limit: Int
        var extra: ExtraJobs?
        var client: Machine
        var answer: ([(number: Int, entry: QueueState.Entry)]) -> Void
    }

    let scheduler: Scheduler
    let faults: Faults
    /// The state that workers share beside jobs.
    let fleet: MemoryFleet
    let forgets: ForgetChecks
    private let checks: QueueChecks
    var state: QueueState
    private var blocked: [UInt64: Blocked] = [:]
    private var lastBlocked: UInt64 = 0

    init(limits: QueueLimits, scheduler: Scheduler, faults: Faults, checks: QueueChecks, forgets: ForgetChecks) {
        fleet = MemoryFleet(time: SimulatedTime(machine: Machine("fleet"), scheduler: scheduler))
        self.forgets = forgets
        state = QueueState(limits: limits)
        self.scheduler = scheduler
        self.faults = faults
        self.checks = checks
    }

    var now: Duration { scheduler.now }

    /// Makes a change, and serves the workers that wait for jobs.
    func change<Value>(_ body: (inout QueueState) -> Value) -> Value {
        defer { serve() }
        return body(&state)
    }

    func enqueue(_ job: Job) -> Enqueued {
        let outcome = change { $0.enqueue(job, at: now) }
        if outcome == .accepted, let number = state.names[job.name], let entry = state.entries[number] {
            checks.accepted(entry)
        }
        return outcome
    }

    func cancel(_ name: JobName) -> Cancellation {
        let outcome = change { $0.cancel(name, at: now) }
        if outcome == .cancelled { checks.cancelled(name) }
        return outcome
    }

    func finish(_ lease: Lease, with reply: JobReply, by worker: Machine) -> Bool {
        let entry = Int(lease.entry).flatMap { state.entries[$0] }
        let isTaken = change { $0.finish(lease, with: reply, at: now) }
        if isTaken, let entry {
            checks.holds(lease, entry, .answeredOnce)
            checks.answered(entry, reply, by: worker)
        }
        return isTaken
    }

    /// Extends leases, and returns those that are lost.
    func renew(_ leases: [Lease]) -> [Lease] {
        let lost = change { $0.renew(leases, at: now) }
        for lease in leases where !lost.contains(lease) {
            if let entry = Int(lease.entry).flatMap({ state.entries[$0] }) { checks.holds(lease, entry, .leases) }
        }
        return lost
    }

    func reclaim(_ limit: Int) -> [(number: Int, entry: QueueState.Entry)] {
        let reclaimed = change { $0.reclaim(limit, at: now) }
        checks.reclaimed(reclaimed)
        checks.leased(reclaimed, limits: state.limits)
        return reclaimed
    }

    func giveBack(_ leases: [Lease], isBrokenOff: Bool) {
        for lease in leases { if state.held(lease) != nil { checks.gaveBack(lease) } }
        change { $0.giveBack(leases, isBrokenOff: isBrokenOff) }
    }

    func deadLetter(_ lease: Lease, with reply: JobReply, by worker: Machine) -> Bool {
        let entry = state.held(lease).flatMap { state.entries[$0] }
        let isTaken = change { $0.deadLetter(lease, with: reply, at: now) }
        if isTaken, let entry { checks.answered(entry, reply, by: worker) }
        return isTaken
    }

    /// Leases jobs, or waits up to `patience` for the first. `answer` is called once.
    func lease(
        _ limit: Int,
        only extra: ExtraJobs?,
        for client: Machine,
        waiting patience: Duration,
        _ answer: @escaping ([(number: Int, entry: QueueState.Entry)]) -> Void,
    ) {
        let leased = state.lease(limit, only: extra, at: now)
        checks.leased(leased, limits: state.limits)
        guard leased.isEmpty, patience > .zero else { return answer(leased) }
        lastBlocked += 1
        let number = lastBlocked
        blocked[number] = Blocked(limit: limit, extra: extra, client: client, answer: answer)
        scheduler.at(now + patience) { [self] in blocked.removeValue(forKey: number)?.answer([]) }
    }

    /// Notices that a worker is gone, if it ended in a way that closes its connections.
    func forget(_ client: Machine) { blocked = blocked.filter { $0.value.client !== client } }

    private func serve() {
        for (number, waiting) in blocked.sorted(by: { $0.key < $1.key }) {
            let leased = state.lease(waiting.limit, only: waiting.extra, at: now)
            guard !leased.isEmpty else { continue }
            checks.leased(leased, limits: state.limits)
            blocked[number] = nil
            waiting.answer(leased)
        }
    }
}

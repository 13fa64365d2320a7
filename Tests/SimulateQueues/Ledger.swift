import Jobs
import Timing

@testable import Simulation

/// The leases that a real queue gave, as its answers tell, and the rules for them.
///
/// A lease lasts from some time between a call and its answer. So the rules allow for the time of the call, and no duration
/// decides.
///
/// `@unchecked Sendable`: a run has one thread. The queue has threads of its own, and comes back to this one.
final class Ledger: @unchecked Sendable {
    private struct Grant {
        var lease: Lease
        var holder: Machine
        /// The earliest time at which it can end by itself.
        var end: Duration
    }

    private let world: World
    private let leaseTime: Duration
    private var grants: [JobName: Grant] = [:]
    private var names: [Lease: JobName] = [:]
    private var entries: [JobName: QueueState.Entry] = [:]

    init(_ world: World, leaseTime: Duration) {
        self.world = world
        self.leaseTime = leaseTime
    }

    var now: Duration { world.scheduler.now }

    /// Records that a producer adds a job. A worker may have it before the producer knows.
    func produces(_ job: Job) {
        guard entries[job.name] == nil else { return }
        let entry = QueueState.Entry(job: job, enqueued: now)
        entries[job.name] = entry
        world.queueChecks.accepted(entry)
    }

    func produced(_ job: Job, _ outcome: Enqueued) {
        switch outcome {
        case .accepted, .known: break
        case .finished(let reply):
            let known = world.queueChecks.answers[job.name]
            world.verdict.require(known ?? reply == reply, .answeredOnce, "\(job.id) has another answer by now")
        case .busy, .overShare: world.verdict.breaks(.ends, "\(job.id) was refused")
        }
    }

    func leased(_ jobs: [LeasedJob], by machine: Machine, asked: Duration) {
        for job in jobs {
            let (name, id) = (job.job.name, job.job.id)
            world.verdict.require(world.queueChecks.answers[name] == nil, .leases, "\(id) was leased after its answer")
            if let grant = grants[name], grant.lease != job.lease {
                let isFree = grant.end <= now || grant.holder === machine
                world.verdict.require(isFree, .leases, "\(id) was leased to two workers")
                let isNewer = grant.lease.entry != job.lease.entry || grant.lease.fence < job.lease.fence
                world.verdict.require(isNewer, .leases, "\(id) was leased with an old fence")
            }
            grants[name] = Grant(lease: job.lease, holder: machine, end: asked + leaseTime)
            names[job.lease] = name
        }
    }

    /// Returns whether the lease is the latest that is known. If not, the queue must refuse what is asked with it.
    func isLatest(_ lease: Lease) -> Bool { names[lease].flatMap { grants[$0]?.lease } == lease }

    func renewed(_ lease: Lease, wasLatest: Bool, asked: Duration) {
        world.verdict.require(wasLatest, .leases, "a lost lease was renewed")
        if let name = names[lease], grants[name]?.lease == lease { grants[name]?.end = asked + leaseTime }
    }

    func answered(_ lease: Lease, _ reply: JobReply, wasLatest: Bool, by machine: Machine) {
        world.verdict.require(wasLatest, .answeredOnce, "an answer under a lost lease counted")
        guard let name = names[lease], let entry = entries[name] else {
            return world.verdict.breaks(.answeredOnce, "an answer to an unknown job counted")
        }
        world.queueChecks.answered(entry, reply, by: machine)
    }

    /// Records that a worker ends leases by itself: from now on, others may have the jobs.
    func givesBack(_ leases: [Lease]) {
        for lease in leases { if let name = names[lease], grants[name]?.lease == lease { grants[name]?.end = now } }
    }

    func leaves(_ machine: Machine) {
        for (name, grant) in grants where grant.holder === machine { grants[name]?.end = now }
    }
}

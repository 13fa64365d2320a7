/// A deliberate break of something that the workers rely on, or must not do. Each stands for a class of bugs, and shows how
/// many seeds the simulation needs to find one. They are in the simulation's own parts, never in the product.
enum Mutant: String, Sendable, CaseIterable {
    /// The queue renews a lease that another worker has by now.
    case renewsLostLease
    /// The queue takes an answer under a lost lease.
    case takesStaleAnswer
    /// The queue leases a job to two workers.
    case leasesTwice
    /// The queue gives a job to another worker a second before its lease ends.
    case reclaimsEarly
    /// The queue never gives a job to another worker.
    case neverReclaims
    /// A job that was given back waits forever.
    case losesGivenBack
    /// A name that has its answer gets another job.
    case acceptsAnswered
    /// The queue keeps a job after its answer.
    case keepsAnswered
    /// The queue keeps a callback that was received.
    case keepsCallback
    /// A dead letter stays open.
    case keepsDeadLetter
    /// A worker that waits is not told of a new job.
    case losesWakeUp
    /// A worker takes deadlines for 80 ms later than they are.
    case shiftsDeadlines
    /// Timers go off 80 ms late.
    case lateTimers
    /// A task that sleeps does not notice its cancellation.
    case ignoresCancellation
    /// A request to an origin never gives its permit back.
    case keepsPermit
    /// Requests to origins wait for no permit.
    case ignoresLimit
    /// An origin's answer is that to another request.
    case mixesSources
    /// The store reports a file that it does not have.
    case storesNothing
    /// The store renews a file that it no longer has.
    case renewsGone
    /// An output is larger than its profile allows.
    case exceedsProfile
    /// An output's descriptor is never closed.
    case keepsDescriptor
    /// A decoder process survives its kill.
    case survivesKill
    /// An answer has another number in the payload.
    case changesPayload
    /// A task waits forever.
    case waitsForever
}

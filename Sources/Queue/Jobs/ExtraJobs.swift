/// The jobs that a worker leases although it has enough of them: those that it must not leave in the queue.
///
/// Turns are decided where jobs begin, among the tenants that wait there. So of each tenant that has none there, jobs are
/// leased, in turns. And jobs that are due soon need an answer in any case.
package struct ExtraJobs: Sendable, Equatable {
    /// The time within which a job is due soon.
    package var dueWithin: Duration
    /// The tenants that wait at the worker already. Of a priority that is missing here, only jobs that are due soon are
    /// leased.
    package var tenants: [Job.Priority: Set<String>]

    package init(dueWithin: Duration, tenants: [Job.Priority: Set<String>] = [:]) {
        self.dueWithin = dueWithin
        self.tenants = tenants
    }
}

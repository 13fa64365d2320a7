/// The jobs that a worker leases although it has enough of them: those that it must not leave in the queue.
///
/// Turns are decided where jobs begin, among the tenants that wait there. So of each other tenant, one job of each
/// priority is leased, as far as they fit. And jobs that are due soon need an answer in any case.
package struct ExtraJobs: Sendable, Equatable {
    /// The time within which a job is due soon.
    package var dueWithin: Duration
    /// The tenants that wait at the worker already, by priority.
    package var tenants: [Job.Priority: Set<String>]

    package init(dueWithin: Duration, tenants: [Job.Priority: Set<String>] = [:]) {
        self.dueWithin = dueWithin
        self.tenants = tenants
    }
}

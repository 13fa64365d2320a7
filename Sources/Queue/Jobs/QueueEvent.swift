/// An event of a queue, for the log.
package enum QueueEvent: Sendable, Equatable {
    /// The problems of the queue's file changed to these.
    case warningsChanged(Set<QueueWarning>)
    /// The configuration of the queue's server may lose jobs, for this reason.
    case mayLoseJobs(String)
    /// The queue's password was not sent to a server, for this reason.
    case passwordWithheld(String)
}

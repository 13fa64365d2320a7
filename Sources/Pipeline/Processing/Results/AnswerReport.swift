import Synchronization

/// The report of the answer to one job, which several attempts at an answer share.
///
/// A worker that answers a job for lack of time does not wait for the work on it, which ends later with an answer that
/// nobody gets. Only the first of them is an event, so a job has one line in the log and counts once.
package final class AnswerReport: Sendable {
    /// The report of the job that the current task works on, if others may answer it.
    @TaskLocal package static var current: AnswerReport?

    private let isMade = Atomic(false)

    package init() {}

    /// Returns whether this is the first answer.
    func make() -> Bool { !isMade.exchange(true, ordering: .relaxed) }
}

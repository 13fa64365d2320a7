/// The first rule that a run broke, if any.
///
/// `@unchecked Sendable`: a run has one thread.
final class Verdict: @unchecked Sendable {
    enum Rule: String, CaseIterable {
        case answeredOnce, answeredInTime, leases, contentKept, rightSource, withinProfile, nothingLeft, deadlineOrder
        case tenantsTurns, originLimits, breakers, slots, books, processes, callbacks, ends, recovers
        case due, clocks, idle, forgotten, forgets
    }

    private(set) var broken: (rule: Rule, message: String)?
    private let history: History
    private let scheduler: Scheduler

    init(_ history: History, _ scheduler: Scheduler) {
        self.history = history
        self.scheduler = scheduler
    }

    /// Records that a rule is broken. Only the first counts.
    func breaks(_ rule: Rule, _ message: String) {
        guard broken == nil else { return }
        broken = (rule, message)
        history.add(scheduler.now, "check", "BROKEN \(rule.rawValue): \(message)")
    }

    func require(_ condition: Bool, _ rule: Rule, _ message: @autoclosure () -> String) {
        if !condition { breaks(rule, message()) }
    }
}

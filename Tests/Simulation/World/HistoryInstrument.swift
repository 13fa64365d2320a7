import Events

/// An instrument that writes events into the history, and counts them.
struct HistoryInstrument<Event: Sendable>: Instrument {
    private let machine: Machine
    private let history: History
    private let scheduler: Scheduler
    private let coverage: Coverage
    private let describe: @Sendable (Event) -> String

    init(
        _ machine: Machine,
        _ history: History,
        _ scheduler: Scheduler,
        _ coverage: Coverage,
        _ describe: @escaping @Sendable (Event) -> String,
    ) {
        self.machine = machine
        self.history = history
        self.scheduler = scheduler
        self.coverage = coverage
        self.describe = describe
    }

    func record(_ event: Event) {
        let text = describe(event)
        history.add(scheduler.now, machine.name, text)
        let name = text.split { !$0.isLetter }.prefix(2).joined(separator: " ")
        coverage.count("\(Event.self): \(name)")
    }
}

/// How often each kind of event came.
///
/// `@unchecked Sendable`: a run has one thread.
final class Coverage: @unchecked Sendable {
    private(set) var counts: [String: Int] = [:]

    func count(_ name: String) { counts[name, default: 0] += 1 }
}

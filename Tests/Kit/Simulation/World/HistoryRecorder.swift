import Base

/// A recorder that writes events into the history. Those that it cannot describe are left out.
struct HistoryRecorder<Event: Sendable>: EventRecorder {
    private let machine: Machine
    private let history: History
    private let scheduler: Scheduler
    private let describe: @Sendable (Event) -> String?

    init(
        _ machine: Machine,
        _ history: History,
        _ scheduler: Scheduler,
        _ describe: @escaping @Sendable (Event) -> String?,
    ) {
        self.machine = machine
        self.history = history
        self.scheduler = scheduler
        self.describe = describe
    }

    func record(_ event: Event) {
        if let text = describe(event) { history.add(scheduler.now, machine.name, text) }
    }
}

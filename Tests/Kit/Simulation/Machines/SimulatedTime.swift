import Base

/// The clock of a simulated machine. Its timers go off by the scheduler's clock.
struct SimulatedTime: TimeSource {
    let machine: Machine
    let scheduler: Scheduler

    var now: Instant { machine.local(scheduler.now) }

    func sleep(until instant: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper(due: machine.time(of: instant), scheduler: scheduler)
        let result = await withWaiter { (waiter: Waiter<Result<Void, CancellationError>>) in
            if Task.isCancelled { return .failure(CancellationError()) }
            sleeper.begin(waiter)
            return nil
        } onCancel: { _ in
            sleeper.cancel()
        }
        try result.get()
    }
}

/// A task that sleeps.
///
/// `@unchecked Sendable`: a run has one thread.
private final class Sleeper: @unchecked Sendable {
    private let due: Duration
    private let scheduler: Scheduler
    private var number: UInt64 = 0
    private var waiter: Waiter<Result<Void, CancellationError>>?

    init(due: Duration, scheduler: Scheduler) {
        self.due = max(due, scheduler.now)
        self.scheduler = scheduler
    }

    func begin(_ waiter: Waiter<Result<Void, CancellationError>>) {
        self.waiter = waiter
        number = scheduler.at(due) { self.end(.success(())) }
    }

    func cancel() {
        scheduler.cancel(number, due: due)
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Void, CancellationError>) {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: result)
    }
}

import Base
import CSimulation

/// The one thread of a run: it runs the tasks of all machines, in an order that the seed decides, and moves the clock
/// when none can run.
///
/// `@unchecked Sendable`: a run has one thread.
final class Scheduler: @unchecked Sendable {
    /// The rule by which the next of the runnable jobs is chosen.
    enum Order: CaseIterable {
        /// Any of them.
        case random
        /// The first, and sometimes another one.
        case nearlyInOrder
        /// The last, and sometimes another one.
        case nearlyReversed
        /// Any but those of one task, which runs only when no other can.
        case starving
    }

    private struct Runnable {
        var job: UInt
        var task: UInt64
        var machine: Machine
    }

    private struct Timer {
        var due: Duration
        var number: UInt64
        var action: () -> Void

        func isBefore(_ due: Duration, _ number: UInt64) -> Bool { (self.due, self.number) < (due, number) }
    }

    private(set) var now = Duration.zero
    private(set) var stepCount = 0
    /// Called when no job can run, before the clock moves. Returns whether it did something.
    var onIdle: () -> Bool = { false }
    /// The machine whose code runs.
    private(set) var current: Machine
    private var random: SplitMix
    private let order: Order
    private var starved: UInt64 = 0
    private var runnable: [Runnable] = []
    private var owners: [UInt64: Machine] = [:]
    /// The timers, the last one due first.
    private var timers: [Timer] = []
    private var lastNumber: UInt64 = 0

    init(seed: UInt64, outside: Machine) {
        random = SplitMix(seed: seed)
        order = Order.allCases[Int(truncatingIfNeeded: seed >> 3) & 3]
        current = outside
    }

    /// Runs `body` as code of that machine: the tasks that it begins are the machine's.
    func on<Value>(_ machine: Machine, _ body: () -> Value) -> Value {
        adopt()
        let before = current
        current = machine
        defer {
            adopt()
            current = before
        }
        return body()
    }

    /// Calls `action` at that time, unless it is cancelled. Returns the number to cancel it with.
    @discardableResult
    func at(_ due: Duration, _ action: @escaping () -> Void) -> UInt64 {
        lastNumber += 1
        let (due, number) = (max(due, now), lastNumber)
        timers.insert(Timer(due: due, number: number, action: action), at: position(due, number))
        return number
    }

    /// Cancels a timer that is due at that time. Returns `false` if it went off.
    @discardableResult
    func cancel(_ number: UInt64, due: Duration) -> Bool {
        let position = position(due, number) - 1
        guard timers.indices.contains(position), timers[position].number == number else { return false }
        timers.remove(at: position)
        return true
    }

    /// Returns the index after the timers that are due later than this one or are it.
    private func position(_ due: Duration, _ number: UInt64) -> Int {
        var range = timers.startIndex..<timers.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if timers[middle].isBefore(due, number) {
                range = range.lowerBound..<middle
            } else {
                range = middle + 1..<range.upperBound
            }
        }
        return range.lowerBound
    }

    /// Lets a stopped machine go on.
    func goOn(_ machine: Machine) {
        adopt()
        for job in machine.goOn() { add(job, machine) }
    }

    /// Runs one job, or else looks at the sockets, or else runs the next timer's action. Returns `false` if there is nothing.
    func step() -> Bool {
        adopt()
        stepCount += 1
        if let next = takeNext() {
            guard next.machine.state == .running else {
                next.machine.hold(next.job)
                return true
            }
            current = next.machine
            csimulation_run(next.job)
            adopt()
            return true
        }
        if onIdle() { return true }
        guard let timer = timers.popLast() else { return false }
        now = timer.due
        csimulation_set_time(Self.nanoseconds(now))
        timer.action()
        adopt()
        return true
    }

    private func takeNext() -> Runnable? {
        guard runnable.count > 1 else { return runnable.popLast() }
        var index = Int.random(in: runnable.indices, using: &random)
        let isUsual = random.next() % 8 != 0
        switch order {
        case .random: break
        case .nearlyInOrder: if isUsual { index = 0 }
        case .nearlyReversed: if isUsual { index = runnable.count - 1 }
        case .starving:
            if random.next() % 256 == 0 { starved = runnable[index].task }
            if runnable[index].task == starved {
                index = runnable.indices.first { runnable[$0].task != starved } ?? index
            }
        }
        return runnable.remove(at: index)
    }

    /// Takes the jobs that became runnable. A task that is new belongs to the machine whose code runs.
    private func adopt() {
        while case let job = UInt(csimulation_next_job()), job != 0 { add(job, nil) }
    }

    private func add(_ job: UInt, _ known: Machine?) {
        let task = csimulation_task(job)
        let machine = known ?? owners[task] ?? current
        owners[task] = machine
        if machine.state != .dead { runnable.append(Runnable(job: job, task: task, machine: machine)) }
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        // Clocks of the system never show 0.
        return 1_000_000_000_000 + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

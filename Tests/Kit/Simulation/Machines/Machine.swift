import Base

/// A simulated machine: the tasks that began on it, and its clock.
///
/// `@unchecked Sendable`: a run has one thread.
final class Machine: @unchecked Sendable {
    enum State {
        case running
        /// Nothing runs until it goes on, as after SIGSTOP.
        case stopped
        /// Nothing ever runs again.
        case dead
    }

    let name: String
    private let clock: MachineClock
    fileprivate(set) var state = State.running
    /// The jobs that became runnable while the machine was stopped.
    private var held: [UInt] = []

    init(_ name: String, clock: MachineClock = MachineClock()) {
        self.name = name
        self.clock = clock
    }

    func local(_ time: Duration) -> Instant { clock.local(time) }

    /// Returns the first time at which the machine's clock shows at least `instant`.
    func time(of instant: Instant) -> Duration { clock.time(of: instant) }

    func stop() { if state == .running { state = .stopped } }

    func die() {
        state = .dead
        held = []
    }

    /// Lets the machine go on, and returns the jobs that waited for that.
    func goOn() -> [UInt] {
        guard state == .stopped else { return [] }
        state = .running
        defer { held = [] }
        return held
    }

    func hold(_ job: UInt) { if state == .stopped { held.append(job) } }
}

/// A clock that began at another time, and runs a little too fast or too slow.
struct MachineClock {
    var offset = Duration.zero
    /// The microseconds that it gains in a second.
    var drift = 0

    func local(_ time: Duration) -> Instant {
        Instant(sinceOrigin: offset + time + time * drift / 1_000_000)
    }

    /// Returns the first time at which the clock shows at least `instant`.
    func time(of instant: Instant) -> Duration {
        let shown = instant.sinceOrigin - offset
        var time = shown * 1_000_000 / (1_000_000 + drift)
        while local(time) < instant { time += .nanoseconds(1) }
        return time
    }
}

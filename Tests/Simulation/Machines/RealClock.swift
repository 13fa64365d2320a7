import CSimulation
import Timing

/// The clock of a run over a real queue.
struct RealClock {
    let start = SystemTime().now

    var now: Duration { SystemTime().now - start }

    /// Waits until then, at most a second, or until a job can run because the queue answered.
    func wait(until due: Duration?) {
        let pause = min(.seconds(1), max(.zero, (due ?? now + .seconds(1)) - now))
        csimulation_wait(Int32(clamping: Int64(pause / .milliseconds(1))) + 1)
    }
}

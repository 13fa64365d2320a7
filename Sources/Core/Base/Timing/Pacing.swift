import Glibc

/// Rising pauses between attempts, with jitter so that many clients that failed together do not return together.
package struct BackOff: Sendable {
    private let first: Duration
    private let longest: Duration
    /// The number of failures in a row.
    package private(set) var failures = 0

    package init(first: Duration = .milliseconds(50), longest: Duration = .seconds(2)) {
        self.first = first
        self.longest = longest
    }

    /// Records one more failure and returns the pause before the next attempt: between half and all of a step that
    /// doubles each time. `jitter` is from 0 to 1.
    package mutating func next(jitter: Double = .random(in: 0...1)) -> Duration {
        let step = min(first * (1 << min(failures, 20)), longest)
        failures += 1
        return step * (0.5 + jitter / 2)
    }

    package mutating func succeeded() { failures = 0 }
}

// MARK: - Learnt durations

/// An estimate of how long something takes, learnt from the times before: a mean and a deviation, with the weights that
/// TCP uses for its round-trip time (RFC 6298).
package struct LearntDuration: Sendable, Equatable {
    private var mean: Double
    private var deviation: Double

    /// Creates an estimate from the first measurement.
    package init(_ first: Duration) {
        mean = first / .seconds(1)
        deviation = mean / 2
    }

    package mutating func learn(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        deviation = deviation * 3 / 4 + abs(seconds - mean) / 4
        mean = mean * 7 / 8 + seconds / 8
    }

    /// The usual duration.
    package var typical: Duration { .seconds(clamping: mean) }

    /// A duration that is hardly ever exceeded: the mean and two deviations.
    package var nearlyAlways: Duration { .seconds(clamping: mean + 2 * deviation) }
}

/// The greatest of recent durations. It halves every ten seconds, so that one is forgotten after about a minute.
package struct RecentMaximum: Sendable, Equatable {
    private static let halfLife: Duration = .seconds(10)

    /// The maximum at `instant`, in seconds.
    private var peak = 0.0
    private var instant = Instant(sinceOrigin: .zero)

    package init() {}

    package mutating func learn(_ duration: Duration, at now: Instant) {
        (peak, instant) = (max(seconds(at: now), duration / .seconds(1)), now)
    }

    package func value(at now: Instant) -> Duration { .seconds(clamping: seconds(at: now)) }

    private func seconds(at now: Instant) -> Double { peak * exp2(-(max(.zero, now - instant) / Self.halfLife)) }
}

// MARK: - Recent requests

/// The numbers of recent requests and of failures among them, to a tenth of the window.
struct RollingCounts: Sendable {
    private static let slotCount = 10

    private let slotLength: Duration
    private var slots = [(requests: UInt32, failures: UInt32)](repeating: (0, 0), count: slotCount)
    /// The number of the newest slot, counted from the clock's origin.
    private var newest = 0

    init(window: Duration) { slotLength = window / Self.slotCount }

    mutating func add(failed: Bool, at now: Instant) {
        move(to: now)
        slots[newest % Self.slotCount].requests += 1
        if failed { slots[newest % Self.slotCount].failures += 1 }
    }

    mutating func total(at now: Instant) -> (requests: Int, failures: Int) {
        move(to: now)
        return slots.reduce(into: (0, 0)) { total, slot in
            total.0 += Int(slot.requests)
            total.1 += Int(slot.failures)
        }
    }

    /// Drops the counts that are older than the window.
    private mutating func move(to now: Instant) {
        let number = max(newest, Int(clamping: now.sinceOrigin / slotLength))
        for passed in 0..<min(number - newest, Self.slotCount) { slots[(number - passed) % Self.slotCount] = (0, 0) }
        newest = number
    }
}

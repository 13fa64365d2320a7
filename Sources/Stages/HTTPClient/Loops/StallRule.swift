import Media
import Timing

/// The rule by which a reached origin counts as stalled: fewer than `byteCount` bytes, headers included, come within
/// `window`, from the start on.
package struct StallRule: Sendable, Equatable {
    package var byteCount: Int
    package var window: Duration

    package init(byteCount: Int = 1, window: Duration = .seconds(5)) {
        self.byteCount = byteCount
        self.window = window
    }
}

/// The watch over one transfer by its rule. A window ends, and the next begins, as soon as enough bytes have come.
struct StallWatch {
    private let rule: StallRule
    private var receivedBefore: Int
    private var start: Instant

    init(_ rule: StallRule, received: Int = 0, now: Instant) {
        self.rule = rule
        receivedBefore = received
        start = now
    }

    /// The time at which the transfer counts as stalled if no more bytes come.
    var due: Instant { start + rule.window }

    /// Records the number of bytes so far, and returns whether the transfer has stalled.
    mutating func isStalled(received: Int, now: Instant) -> Bool {
        if received - receivedBefore >= rule.byteCount { self = StallWatch(rule, received: received, now: now) }
        return now >= due
    }
}

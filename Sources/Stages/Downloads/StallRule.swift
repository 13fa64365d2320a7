import Media
import Timing

/// When an origin that has been reached is given up: `byteCount` bytes, headers included, have to come within `window`,
/// the first ones too.
package struct StallRule: Sendable, Equatable {
    package var byteCount: Int
    package var window: Duration

    package init(byteCount: Int = 1, window: Duration = .seconds(5)) {
        self.byteCount = byteCount
        self.window = window
    }
}

/// Watches one transfer by its rule. A window ends, and the next begins, as soon as enough bytes have come.
struct StallWatch {
    private let rule: StallRule
    private var receivedBefore: Int
    private var start: Instant

    init(_ rule: StallRule, received: Int = 0, now: Instant) {
        self.rule = rule
        receivedBefore = received
        start = now
    }

    /// When the rule will be broken if no more bytes come.
    var due: Instant { start + rule.window }

    /// Takes note of how many bytes have come in all, and says whether the rule is broken.
    mutating func isStalled(received: Int, now: Instant) -> Bool {
        if received - receivedBefore >= rule.byteCount { self = StallWatch(rule, received: received, now: now) }
        return now >= due
    }
}

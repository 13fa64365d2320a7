import Values

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

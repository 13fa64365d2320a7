import Base
import Media

/// The zygotes of a pool: the one that forks, and those that were retired after a crash. State only, without side
/// effects.
///
/// After a crash another zygote takes over. So no process whose memory is laid out like the crashed one's gets a source
/// (SECURITY S10). Replacements are limited, so that sources that crash on purpose cannot keep the pool busy: they come
/// a second apart, and twice as far each time while crashes go on.
struct ZygoteSuccession: Sendable {
    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)
    /// The time without a replacement after which the pauses start over.
    private static let calm: Duration = .seconds(60)
    /// The most retired zygotes that live on for their last jobs.
    private static let retiredLimit = 2

    private(set) var current: (number: Int, pid: Int)?
    private(set) var retired: Set<Int> = []
    private(set) var replacements = 0
    private var count = 0
    private var isCondemned = false
    private var pause = firstPause
    private var lastReplacement: Instant?

    /// The number of times that a zygote was started for another reason than a crash.
    var restarts: Int { max(0, count - 1 - replacements) }

    /// Records that a zygote takes over now, and returns its number.
    mutating func started(pid: Int) -> Int {
        count += 1
        current = (count, pid)
        isCondemned = false
        return count
    }

    /// Records that a zygote ended. Returns whether it was the one that forks.
    mutating func ended(_ number: Int) -> Bool {
        retired.remove(number)
        guard current?.number == number else { return false }
        current = nil
        return true
    }

    /// Asks for a replacement of that zygote, unless it is replaced already.
    mutating func condemn(_ number: Int, at now: Instant) {
        guard current?.number == number else { return }
        isCondemned = true
        if let last = lastReplacement, now >= last + Self.calm { (lastReplacement, pause) = (nil, Self.firstPause) }
    }

    func isReplacementDue(at now: Instant) -> Bool {
        guard isCondemned, current != nil, retired.count < Self.retiredLimit else { return false }
        return lastReplacement.map { now >= $0 + pause } ?? true
    }

    /// Returns the time at which a pending replacement is due.
    func nextReplacement(after now: Instant) -> Instant? {
        guard isCondemned, current != nil, let lastReplacement, lastReplacement + pause > now else { return nil }
        return lastReplacement + pause
    }

    mutating func retire(at now: Instant) {
        guard let current else { return }
        retired.insert(current.number)
        self.current = nil
        isCondemned = false
        replacements += 1
        if lastReplacement != nil { pause = min(pause * 2, Self.longestPause) }
        lastReplacement = now
    }
}

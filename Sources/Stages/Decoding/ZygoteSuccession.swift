import Media
import Timing

/// The zygotes of a pool: the one that forks, and those that a crash has retired. It does nothing itself.
///
/// After a crash another zygote takes over, so that no process whose memory is laid out like the crashed one's gets a
/// source (SECURITY S10). Replacements are bounded, so that sources that crash on purpose don't keep the pool busy: they
/// come a second apart, and twice as far each time while crashes go on.
struct ZygoteSuccession: Sendable {
    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)
    /// So long without a replacement, and the pauses begin anew.
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

    /// How often a zygote was started that no crash called for.
    var restarts: Int { max(0, count - 1 - replacements) }

    /// The number of a zygote that takes over now.
    mutating func started(pid: Int) -> Int {
        count += 1
        current = (count, pid)
        isCondemned = false
        return count
    }

    /// Whether it was the one that forks.
    mutating func ended(_ number: Int) -> Bool {
        retired.remove(number)
        guard current?.number == number else { return false }
        current = nil
        return true
    }

    /// Asks for another zygote in the place of that one, unless there is another already.
    mutating func condemn(_ number: Int, at now: Instant) {
        guard current?.number == number else { return }
        isCondemned = true
        if let last = lastReplacement, now >= last + Self.calm { (lastReplacement, pause) = (nil, Self.firstPause) }
    }

    func isReplacementDue(at now: Instant) -> Bool {
        guard isCondemned, current != nil, retired.count < Self.retiredLimit else { return false }
        return lastReplacement.map { now >= $0 + pause } ?? true
    }

    /// When a replacement that waits for its time is due.
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

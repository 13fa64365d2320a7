import Media

/// Who may compute now: the most urgent first, as far as places and memory go. It does nothing itself.
///
/// A place stands for one core. A job gives its place back while it waits for bytes, and keeps its memory until it ends.
struct Schedule: Sendable {
    struct Claim: Sendable, Equatable {
        var id: Int
        /// When the job's result is due.
        var deadline: Instant
        /// Video and sound take long: they may not have every place.
        var isClip = false
        /// The memory that the job is to have from now on, instead of what it had.
        var byteCount = 0
        /// Whether it also needs a process, because it begins.
        var needsProcess = false
    }

    private let places: Int
    private let clipPlaces: Int
    private let byteLimit: Int
    private var waiting: [Claim] = []
    /// The jobs that have a place.
    private var running: [Int: Claim] = [:]
    /// The memory of every job that has begun and not ended.
    private var held: [Int: Int] = [:]

    /// Of `places`, a quarter, and at least one if there are two, is kept for pictures.
    init(places: Int, byteLimit: Int) {
        self.places = places
        clipPlaces = max(1, places - max(1, places / 4))
        self.byteLimit = byteLimit
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }
    var heldBytes: Int { held.values.reduce(0, +) }
    var isWaitedForByBeginners: Bool { waiting.contains(where: \.needsProcess) }

    /// Whether so much memory could be had if nobody else had any.
    func couldHold(_ byteCount: Int) -> Bool { byteCount <= byteLimit }

    mutating func wait(_ claim: Claim) {
        let index = waiting.firstIndex { (claim.deadline, claim.id) < ($0.deadline, $0.id) } ?? waiting.endIndex
        waiting.insert(claim, at: index)
    }

    /// Whether it waited.
    mutating func stopWaiting(_ id: Int) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// A job that waits is due at another time than it was.
    mutating func move(_ id: Int, to deadline: Instant) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        var claim = waiting.remove(at: index)
        claim.deadline = deadline
        wait(claim)
    }

    /// Those who wait for a process wait no longer.
    mutating func dismissBeginners() -> [Int] {
        let beginners = waiting.filter(\.needsProcess).map(\.id)
        waiting.removeAll(where: \.needsProcess)
        return beginners
    }

    /// Gives places to those who wait, the earliest deadline first, while there are `processes` for those who begin.
    mutating func grant(processes: Int) -> [Claim] {
        var granted: [Claim] = []
        var processes = processes
        var index = 0
        while index < waiting.count, running.count < places {
            let claim = waiting[index]
            let others = heldBytes - (held[claim.id] ?? 0)
            // Whoever comes next must not take the memory that the most urgent one waits for.
            if others + claim.byteCount > byteLimit { break }
            let isLeftOut = claim.isClip && running.values.count(where: \.isClip) >= clipPlaces
            if isLeftOut || (claim.needsProcess && processes == 0) {
                index += 1
                continue
            }
            if claim.needsProcess { processes -= 1 }
            running[claim.id] = claim
            held[claim.id] = claim.byteCount
            granted.append(claim)
            waiting.remove(at: index)
        }
        return granted
    }

    /// Takes a job's place, and leaves it its memory: it waits for bytes, or for more memory.
    mutating func pause(_ id: Int) { running[id] = nil }

    /// The job is done with everything.
    mutating func end(_ id: Int) {
        running[id] = nil
        held[id] = nil
    }
}

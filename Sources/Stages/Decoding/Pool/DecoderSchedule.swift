import Base
import Media

/// The order in which jobs compute: in turns of their tenants, the most urgent first, as far as slots and memory allow.
/// State only, without side effects.
///
/// A slot stands for one core. A job gives its slot back while it waits for bytes. It keeps its memory until another
/// job needs it. A picture that computes for very long gives up its slot, too, to waiting jobs.
struct DecoderSchedule: Sendable {
    struct Claim: Sendable, Equatable {
        var id: Int
        /// The time when the job's result is due.
        var deadline: Instant
        /// The tenant of the notification that began the job.
        var tenant = TenantName.unnamed
        /// A Boolean value that indicates whether the job is video or sound. Those take long, and may not have every
        /// slot.
        var isClip = false
        /// The memory that the job is to have from now on, in bytes, instead of its present amount.
        var byteCount = 0
        /// A Boolean value that indicates whether the job also needs a process, because it begins.
        var needsProcess = false
    }

    /// The reason why a job has to give up its process.
    enum Eviction: Sendable, Equatable {
        /// The job waited, and another job needs its memory. It may begin again.
        case idle
        /// The job computed for longer than any job may while others wait for its slot or its memory.
        case endless
    }

    struct Rule: Sendable {
        /// The number of claims that may take memory while a more urgent one waits for it.
        var passes = 8
        /// The time that a job may wait before others may have its memory.
        var idleLimit: Duration = .milliseconds(500)
        /// The time that a picture, and a clip, may compute before other jobs may have its slot.
        var pictureTurn: Duration = .seconds(1)
        var clipTurn: Duration = .seconds(8)
        /// The number of jobs without a slot that may go on computing, for each slot.
        var overduePerSlot = 2
    }

    private struct Turn {
        var claim: Claim
        var start: Instant
    }

    private let slots: Int
    private let clipSlots: Int
    private let byteLimit: Int
    private let rule: Rule
    private var waiting: [Claim] = []
    private var turns: TenantTurns
    /// The number of times that each claim was passed while it waited for memory.
    private var passes: [Int: Int] = [:]
    /// The jobs that have a slot.
    private var running: [Int: Turn] = [:]
    /// The jobs that compute although another job has their slot now.
    private var overdue: [Int: Turn] = [:]
    /// The memory of every job that has begun and not ended.
    private var held: [Int: Int] = [:]
    /// The jobs that hold memory and wait, for bytes, memory or a slot, and since when.
    private var idle: [Int: Instant] = [:]
    private var evictions: [Int: Eviction] = [:]

    /// Creates a schedule. A quarter of `slots`, and at least one if there are two, is kept for pictures.
    init(slots: Int, byteLimit: Int, rule: Rule = Rule(), tenants: TenantLines = TenantLines()) {
        self.slots = slots
        clipSlots = max(1, slots - max(1, slots / 4))
        self.byteLimit = byteLimit
        self.rule = rule
        turns = TenantTurns(tenants)
    }

    var runningCount: Int { running.count + overdue.count }
    var waitingCount: Int { waiting.count }
    var heldBytes: Int { held.values.reduce(0, +) }
    var isWaitedForByBeginners: Bool { waiting.contains(where: \.needsProcess) }

    /// Returns whether `byteCount` bytes of memory would be available if no other job had any.
    func couldHold(_ byteCount: Int) -> Bool { byteCount <= byteLimit }

    mutating func wait(_ claim: Claim) {
        let index = waiting.firstIndex { (claim.deadline, claim.id) < ($0.deadline, $0.id) } ?? waiting.endIndex
        waiting.insert(claim, at: index)
    }

    /// Removes a waiting job. Returns whether it waited.
    mutating func stopWaiting(_ id: Int) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: index)
        passes[id] = nil
        return true
    }

    /// Changes the deadline of a waiting job.
    mutating func move(_ id: Int, to deadline: Instant) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        var claim = waiting.remove(at: index)
        claim.deadline = deadline
        wait(claim)
    }

    /// Removes the jobs that wait for a process.
    mutating func dismissBeginners() -> [Int] {
        let beginners = waiting.filter(\.needsProcess).map(\.id)
        for id in beginners { _ = stopWaiting(id) }
        return beginners
    }

    /// Takes a job's slot while it waits for bytes or for more memory. After a while, its memory may go to jobs that
    /// need it.
    mutating func pause(_ id: Int, at now: Instant) {
        running[id] = nil
        overdue[id] = nil
        if held[id] != nil { idle[id] = now }
    }

    /// Removes a finished job.
    mutating func end(_ id: Int) {
        running[id] = nil
        overdue[id] = nil
        held[id] = nil
        idle[id] = nil
        evictions[id] = nil
    }

    /// Returns the jobs that must give up their processes since the last call.
    mutating func takeEvictions() -> [Int: Eviction] {
        defer { evictions = [:] }
        return evictions
    }
}

// MARK: - Granting

extension DecoderSchedule {
    /// The most claims that are brought into the order of turns. There are far fewer slots.
    private static let orderLimit = 64

    /// Grants slots to waiting jobs, in turns of tenants and the earliest deadline first, while there are `processes` for jobs that begin.
    ///
    /// Smaller claims may pass a claim for which there is no memory, a few times. Then memory is kept for it, except
    /// for a reserve that serves small claims.
    mutating func grant(processes: Int, at now: Instant) -> [Claim] {
        endTurns(processes: processes, at: now)
        var granted: [Claim] = []
        var processes = processes
        var passed: [Claim] = []
        guard running.count < slots else { return [] }
        for claim in turns.ordered(waiting, limit: Self.orderLimit, tenant: \.tenant)
        where running.count < slots && evictions[claim.id] == nil {
            let isLeftOut = claim.isClip && running.values.count(where: \.claim.isClip) >= clipSlots
            if isLeftOut || (claim.needsProcess && processes == 0) { continue }
            guard mayPass(passed, claim), makeRoom(for: claim, keeping: passed.first, at: now) else {
                passed.append(claim)
                continue
            }
            if growth(of: claim) > 0 {
                // Some of these jobs may have been evicted.
                for other in passed where evictions[other.id] == nil { passes[other.id, default: 0] += 1 }
            }
            if claim.needsProcess {
                processes -= 1
                turns.record(claim.tenant)
            }
            _ = stopWaiting(claim.id)
            running[claim.id] = Turn(claim: claim, start: now)
            held[claim.id] = claim.byteCount
            idle[claim.id] = nil
            granted.append(claim)
        }
        return granted
    }

    /// Returns the time at which a waiting job may get another job's resources merely because time has passed.
    func nextChange(after now: Instant) -> Instant? {
        guard !waiting.isEmpty else { return nil }
        let turns = running.values.map { $0.start + turn(of: $0.claim) }
        let idlers = idle.values.map { $0 + rule.idleLimit }
        return (turns + idlers).filter { $0 > now }.min()
    }

    /// The memory for small claims while a larger one waits: a quarter.
    private var reserve: Int { byteLimit / 4 }

    private func isSmall(_ byteCount: Int) -> Bool { byteCount <= reserve / 2 }

    private func growth(of claim: Claim) -> Int { claim.byteCount - (held[claim.id] ?? 0) }

    /// Returns whether `claim` may have memory before the more urgent claims in `passed`, which wait for it.
    private func mayPass(_ passed: [Claim], _ claim: Claim) -> Bool {
        // A job that needs no more memory takes none from others.
        guard growth(of: claim) > 0 else { return true }
        // A claim that leaves no room for the reserve is granted when no other job has memory, so none is kept for it.
        let isKept = passed.contains { passes[$0.id, default: 0] >= rule.passes && $0.byteCount <= byteLimit - reserve }
        guard isKept else { return true }
        let small = held.filter { $0.key != claim.id && isSmall($0.value) }.values.reduce(0, +)
        return isSmall(claim.byteCount) && small + claim.byteCount <= reserve
    }

    /// Returns whether there is memory for `claim`, after evicting jobs that have waited for long.
    ///
    /// Jobs that wait for more memory give way to small claims and to the most urgent one, which never gives way: two jobs
    /// that both hold what the other one needs would wait for each other until their deadlines. A small claim may also
    /// evict one large job that has computed for longer than its turn: otherwise a single source that claims all memory and
    /// then spins would stop every other one until its deadline.
    private mutating func makeRoom(for claim: Claim, keeping first: Claim?, at now: Instant) -> Bool {
        var missing = heldBytes + growth(of: claim) - byteLimit
        guard missing > 0, growth(of: claim) > 0 else { return true }
        var kept = Set([claim.id, first?.id].compactMap(\.self))
        if !isSmall(claim.byteCount), first != nil { kept.formUnion(waiting.map(\.id)) }
        var idlers: [Int] = []
        for (id, since) in idle.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) where missing > 0 {
            guard since + rule.idleLimit <= now else { break }
            guard !kept.contains(id) else { continue }
            idlers.append(id)
            missing -= held[id] ?? 0
        }
        let endless = missing > 0 && isSmall(claim.byteCount) ? overlongHolder(of: missing, at: now) : nil
        guard missing <= 0 || endless != nil else { return false }
        for id in idlers { evict(id, .idle) }
        if let endless { evict(endless, .endless) }
        return true
    }

    /// Returns the job that holds the most memory, at least `byteCount` and not a small claim, of those that have
    /// computed for longer than their turn.
    private func overlongHolder(of byteCount: Int, at now: Instant) -> Int? {
        let turns = [running.values, overdue.values].joined()
        let ended = turns.filter { $0.start + turn(of: $0.claim) <= now }.map(\.claim)
        let large = ended.filter { !isSmall($0.byteCount) && $0.byteCount >= byteCount }
        return large.max { ($0.byteCount, $1.id) < ($1.byteCount, $0.id) }?.id
    }

    private mutating func evict(_ id: Int, _ eviction: Eviction) {
        _ = stopWaiting(id)
        end(id)
        evictions[id] = eviction
    }

    private func turn(of claim: Claim) -> Duration { claim.isClip ? rule.clipTurn : rule.pictureTurn }

    /// Takes the slots of jobs that have computed for long, as many as other jobs wait for. They go on for now. When
    /// there are too many of them, those that have computed the longest are evicted.
    private mutating func endTurns(processes: Int, at now: Instant) {
        let (beginners, others) = (waiting.count(where: \.needsProcess), waiting.count { !$0.needsProcess })
        var wanted = others + min(beginners, processes) - (slots - running.count)
        let turns = running.values.sorted { ($0.start, $0.claim.id) < ($1.start, $1.claim.id) }
        for turn in turns where wanted > 0 && turn.start + self.turn(of: turn.claim) <= now {
            running[turn.claim.id] = nil
            overdue[turn.claim.id] = turn
            wanted -= 1
        }
        while overdue.count > slots * rule.overduePerSlot,
            let longest = overdue.values.min(by: { ($0.start, $0.claim.id) < ($1.start, $1.claim.id) })
        {
            evict(longest.claim.id, .endless)
        }
    }
}

import Base
import DecoderWire
import Media
import Sandbox

/// The jobs that wait for a decoder process, those that have one, and the processes that are starting. State only,
/// without side effects.
struct DecoderPoolState: Sendable {
    /// The answer to a claim.
    enum Grant: Sendable {
        /// A slot, and a process for the job that begins.
        case child(DecoderChild)
        /// A slot for a job that already has its process.
        case slot
        case refused(AttachmentFailure)
    }

    /// The actions that are due after a change.
    struct Changes: Sendable {
        var grants: [(waiter: Waiter<Grant>, grant: Grant)] = []
        /// The processes of jobs that gave way to others.
        var evicted: [ProcessHandle] = []
        /// The time of the next check, if no change comes first.
        var next: Instant?
    }

    /// A process that the zygote forked and that is still warming up.
    private struct Start: Sendable {
        var line: PacketSocket?
        var pid: Int?
        var process: ProcessHandle?
        var sandbox: SandboxReport?
    }

    /// The number of processes in a row that fail to become ready before the zygote is condemned.
    private static let failedStartLimit = 3

    private let spareLimit: Int
    private var schedule: DecoderSchedule
    private var waiters: [Int: Waiter<Grant>] = [:]
    /// The processes that have a job, by the job's number.
    private var working: [Int: DecoderChild] = [:]
    private var evictions: [Int: DecoderSchedule.Eviction] = [:]
    private var spares: [DecoderChild] = []
    /// The streams of the ends of ready processes, by the pool's number.
    private var endings: [Int: AsyncStream<ProcessEnding>.Continuation] = [:]
    private var starts: [Int: Start] = [:]
    private var failedStarts = 0
    /// The processes that are not reaped yet, by the pool's number.
    private var children: [Int: (pid: Int, zygote: Int)] = [:]
    private var zygotes = ZygoteSuccession()
    private var sandbox: SandboxReport?
    /// The reason why there are no processes at all, until one becomes ready.
    private var outage: AttachmentFailure?
    private var isShutDown = false
    private var nextNumber = 0
    /// Wakes the task that asks the zygote for processes.
    private(set) var refill: AsyncStream<Void>.Continuation?

    init(spareLimit: Int, schedule: DecoderSchedule) {
        self.spareLimit = spareLimit
        self.schedule = schedule
    }

    var status: DecoderPoolStatus {
        DecoderPoolStatus(
            spares: spares.count,
            running: schedule.runningCount,
            waiting: schedule.waitingCount,
            heldBytes: schedule.heldBytes,
            children: children.count + zygotes.retired.count,
            zygotePID: zygotes.current?.pid,
            restarts: zygotes.restarts,
            replacements: zygotes.replacements,
            sandbox: sandbox,
        )
    }

    // MARK: Jobs

    /// Returns a number that is unique in this pool.
    mutating func makeNumber() -> Int {
        nextNumber += 1
        return nextNumber
    }

    mutating func wait(_ claim: DecoderSchedule.Claim, due deadline: Instant, _ waiter: Waiter<Grant>) {
        var claim = claim
        claim.deadline = deadline
        schedule.wait(claim)
        waiters[claim.id] = waiter
    }

    mutating func stopWaiting(_ id: Int) -> Waiter<Grant>? {
        schedule.stopWaiting(id) ? waiters.removeValue(forKey: id) : nil
    }

    /// Grants slots, and spare processes to jobs that begin. Takes processes from jobs that must give way.
    mutating func settle(at now: Instant) -> Changes {
        var changes = Changes()
        if zygotes.isReplacementDue(at: now) { retireZygote(at: now) }
        for claim in schedule.grant(processes: spares.count, at: now) {
            var grant = Grant.slot
            if claim.needsProcess {
                let child = spares.removeFirst()
                working[claim.id] = child
                grant = .child(child)
            }
            if let waiter = waiters.removeValue(forKey: claim.id) { changes.grants.append((waiter, grant)) }
        }
        for (id, eviction) in schedule.takeEvictions() {
            guard let child = working[id] else { continue }
            evictions[id] = eviction
            changes.evicted.append(child.process)
            if let waiter = waiters.removeValue(forKey: id) {
                changes.grants.append((waiter, .refused(Conversation.died)))
            }
        }
        if let outage {
            for id in schedule.dismissBeginners() {
                if let waiter = waiters.removeValue(forKey: id) { changes.grants.append((waiter, .refused(outage))) }
            }
        }
        changes.next = [schedule.nextChange(after: now), zygotes.nextReplacement(after: now)].compactMap(\.self).min()
        return changes
    }

    /// Returns the reason why the job had to give up its process, or `nil` if it did not.
    func eviction(of id: Int) -> DecoderSchedule.Eviction? { evictions[id] }

    func couldHold(_ byteCount: Int) -> Bool { schedule.couldHold(byteCount) }

    mutating func move(_ id: Int, to deadline: Instant) { schedule.move(id, to: deadline) }

    mutating func pause(_ id: Int, at now: Instant) { schedule.pause(id, at: now) }

    mutating func end(_ id: Int) {
        schedule.end(id)
        evictions[id] = nil
        if let child = working.removeValue(forKey: id) { endings[child.number] = nil }
    }

    mutating func refuse(_ failure: AttachmentFailure, forGood: Bool) {
        outage = failure
        isShutDown = isShutDown || forGood
        if isShutDown { spares = [] }
    }

    // MARK: Processes

    /// Records a started zygote and returns its number.
    mutating func zygoteStarted(pid: Int, refill: AsyncStream<Void>.Continuation) -> Int {
        failedStarts = 0
        self.refill = refill
        return zygotes.started(pid: pid)
    }

    /// Retires that zygote after one of its processes crashed or lied: the next jobs get processes of another zygote as
    /// soon as possible.
    mutating func condemn(zygote number: Int, at now: Instant) { zygotes.condemn(number, at: now) }

    /// Returns whether that zygote is replaced, and lives only for its processes that have a job.
    func isRetired(zygote number: Int) -> Bool { zygotes.retired.contains(number) }

    /// Returns whether that zygote is replaced and all of its processes are gone.
    func isDrained(zygote number: Int) -> Bool {
        isRetired(zygote: number) && !children.values.contains { $0.zygote == number }
    }

    private mutating func retireZygote(at now: Instant) {
        for spare in spares { spare.process.kill() }
        dropUnused()
        zygotes.retire(at: now)
        refill?.finish()
        refill = nil
    }

    /// Records that the zygote is gone, and every process that it forked. Returns whether any of them had become ready.
    mutating func zygoteEnded(_ number: Int) -> Bool {
        for (child, process) in children where process.zygote == number {
            children[child] = nil
            // The end of the process is unknown: its stream finishes without one.
            endings.removeValue(forKey: child)?.finish()
        }
        guard zygotes.ended(number) else { return true }
        defer { (refill, sandbox) = (nil, nil) }
        dropUnused()
        return sandbox != nil
    }

    private mutating func dropUnused() {
        for spare in spares { endings.removeValue(forKey: spare.number)?.finish() }
        for start in starts.values { start.process?.kill() }
        spares = []
        starts = [:]
    }

    /// Returns the number of one more process for that zygote to start, or `nil` if there are enough.
    mutating func claimStart(from zygote: Int) -> Int? {
        let target = max(spareLimit, schedule.isWaitedForByBeginners ? 1 : 0)
        guard !isShutDown, zygotes.current?.number == zygote, spares.count + starts.count < target else { return nil }
        let number = makeNumber()
        starts[number] = Start()
        return number
    }

    mutating func begin(_ number: Int, line: PacketSocket) { starts[number]?.line = line }

    mutating func forked(_ number: Int, pid: Int, process: ProcessHandle, zygote: Int) {
        children[number] = (pid, zygote)
        starts[number]?.pid = pid
        starts[number]?.process = process
        promote(number, of: zygote)
    }

    mutating func ready(_ number: Int, _ sandbox: SandboxReport, zygote: Int) {
        starts[number]?.sandbox = sandbox
        promote(number, of: zygote)
    }

    mutating func abandonStart(_ number: Int) { starts[number] = nil }

    mutating func couldNotStart(_ number: Int) {
        // Processes of a replaced zygote do not count as failures.
        guard let start = starts.removeValue(forKey: number) else { return }
        start.process?.kill()
        failedStarts += 1
        if failedStarts >= Self.failedStartLimit { refill?.finish() }
    }

    /// Records that a process was reaped, and returns its process id.
    mutating func ended(_ number: Int, _ ending: ProcessEnding? = nil) -> Int? {
        spares.removeAll { $0.number == number }
        if let continuation = endings.removeValue(forKey: number) {
            if let ending { continuation.yield(ending) }
            continuation.finish()
        }
        return children.removeValue(forKey: number)?.pid
    }

    /// Makes a process a spare once both messages are there, in any order: the zygote's that it forked the process, and
    /// the process's that it is ready.
    private mutating func promote(_ number: Int, of zygote: Int) {
        guard let start = starts[number], let line = start.line, let pid = start.pid, let process = start.process,
            let sandbox = start.sandbox
        else { return }
        starts[number] = nil
        failedStarts = 0
        self.sandbox = sandbox
        if !isShutDown { outage = nil }
        let (endings, ending) = AsyncStream.makeStream(of: ProcessEnding.self)
        self.endings[number] = ending
        spares.append(
            DecoderChild(
                number: number,
                zygote: zygote,
                pid: pid,
                process: process,
                line: line,
                sandbox: sandbox,
                endings: endings,
            )
        )
    }
}

import DecoderWire
import Media
import Sandbox
import Timing

/// Who waits for a decoder process, who has one, and how many are getting ready. It does nothing itself.
struct DecoderPoolState: Sendable {
    /// What a claim comes to.
    enum Lease: Sendable {
        /// A place, and a process for the job that begins.
        case child(DecoderChild)
        /// A place for a job that has its process.
        case place
        case refused(AttachmentFailure)
    }

    typealias Wake = CheckedContinuation<Lease, Never>

    /// What there is to do after something has changed.
    struct Changes: Sendable {
        var leases: [(wake: Wake, lease: Lease)] = []
        /// The processes of jobs that gave way to others.
        var evicted: [ProcessHandle] = []
        /// When to look again, whatever happens before that.
        var next: Instant?
    }

    /// A process on its way: forked by the zygote, getting warm by itself.
    private struct Start: Sendable {
        var line: PacketSocket?
        var pid: Int?
        var process: ProcessHandle?
        var sandbox: SandboxReport?
    }

    /// So many processes in a row that don't get ready condemn the zygote.
    private static let failedStartLimit = 3

    private let spareLimit: Int
    private var schedule: DecoderSchedule
    private var waiters: [Int: Wake] = [:]
    /// The processes that have a job, by the job's number.
    private var working: [Int: DecoderChild] = [:]
    private var evictions: [Int: DecoderSchedule.Eviction] = [:]
    private var spares: [DecoderChild] = []
    /// How the processes that have got ready end, by our number.
    private var endings: [Int: AsyncStream<ProcessEnding>.Continuation] = [:]
    private var starts: [Int: Start] = [:]
    private var failedStarts = 0
    /// The processes that are not reaped yet, by our number.
    private var children: [Int: (pid: Int, zygote: Int)] = [:]
    private var zygotes = ZygoteSuccession()
    private var sandbox: SandboxReport?
    /// Why no process can be had at all, until one gets ready.
    private var outage: AttachmentFailure?
    private var isShutDown = false
    private var nextNumber = 0
    /// When the pool looks again by itself.
    private var timer: Instant?
    /// Wakes whoever asks the zygote for processes.
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

    /// A number that nothing else in this pool has.
    mutating func makeNumber() -> Int {
        nextNumber += 1
        return nextNumber
    }

    mutating func wait(_ claim: DecoderSchedule.Claim, due deadline: Instant, _ wake: Wake) {
        var claim = claim
        claim.deadline = deadline
        schedule.wait(claim)
        waiters[claim.id] = wake
    }

    mutating func stopWaiting(_ id: Int) -> Wake? {
        schedule.stopWaiting(id) ? waiters.removeValue(forKey: id) : nil
    }

    /// Gives places, and spare processes to those who begin; takes processes from jobs that have to give way.
    mutating func settle(at now: Instant) -> Changes {
        var changes = Changes()
        if zygotes.isReplacementDue(at: now) { retireZygote(at: now) }
        for claim in schedule.grant(processes: spares.count, at: now) {
            var lease = Lease.place
            if claim.needsProcess {
                let child = spares.removeFirst()
                working[claim.id] = child
                lease = .child(child)
            }
            if let wake = waiters.removeValue(forKey: claim.id) { changes.leases.append((wake, lease)) }
        }
        for (id, eviction) in schedule.takeEvictions() {
            guard let child = working[id] else { continue }
            evictions[id] = eviction
            changes.evicted.append(child.process)
            if let wake = waiters.removeValue(forKey: id) { changes.leases.append((wake, .refused(Conversation.died))) }
        }
        if let outage {
            for id in schedule.dismissBeginners() {
                if let wake = waiters.removeValue(forKey: id) { changes.leases.append((wake, .refused(outage))) }
            }
        }
        changes.next = [schedule.nextChange(after: now), zygotes.nextReplacement(after: now)].compactMap(\.self).min()
        return changes
    }

    /// Whether nothing else looks again by then.
    mutating func needsTimer(for instant: Instant) -> Bool {
        guard timer.map({ instant < $0 }) ?? true else { return false }
        timer = instant
        return true
    }

    mutating func timerIsOver(_ instant: Instant) {
        if timer == instant { timer = nil }
    }

    /// Why the job had to give up its process, if it had to.
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

    /// A zygote was started. Its number.
    mutating func zygoteStarted(pid: Int, refill: AsyncStream<Void>.Continuation) -> Int {
        failedStarts = 0
        self.refill = refill
        return zygotes.started(pid: pid)
    }

    /// A process of that zygote crashed, or lied: the next jobs get processes of another zygote, as soon as may be.
    mutating func condemn(zygote number: Int, at now: Instant) { zygotes.condemn(number, at: now) }

    /// Whether that zygote is replaced, and lives only for those of its processes that have a job.
    func isRetired(zygote number: Int) -> Bool { zygotes.retired.contains(number) }

    /// Whether that zygote is replaced and all of its processes are gone.
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

    /// That zygote is no more, and with it every process that it forked. Whether it had any that got ready.
    mutating func zygoteEnded(_ number: Int) -> Bool {
        for (child, place) in children where place.zygote == number {
            children[child] = nil
            // No ending is known: whoever waits for it hears of none.
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

    /// The number of one more process to be started by that zygote, if there are too few.
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
        // Those of a zygote that was replaced are nobody's failure.
        guard let start = starts.removeValue(forKey: number) else { return }
        start.process?.kill()
        failedStarts += 1
        if failedStarts >= Self.failedStartLimit { refill?.finish() }
    }

    /// A process was reaped. Its id.
    mutating func ended(_ number: Int, _ ending: ProcessEnding? = nil) -> Int? {
        spares.removeAll { $0.number == number }
        if let continuation = endings.removeValue(forKey: number) {
            if let ending { continuation.yield(ending) }
            continuation.finish()
        }
        return children.removeValue(forKey: number)?.pid
    }

    /// The zygote's word that a process was forked and that process's own word that it is ready come in any order.
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

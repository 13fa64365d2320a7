import DecoderWire
import Media
import Sandbox

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
    private var schedule: Schedule
    private var waiters: [Int: Wake] = [:]
    private var spares: [DecoderChild] = []
    private var starts: [Int: Start] = [:]
    private var failedStarts = 0
    /// The processes that are not reaped yet: their ids, by our number.
    private var pids: [Int: Int] = [:]
    private var zygotePID: Int?
    private var zygotes = 0
    private var sandbox: SandboxReport?
    /// Why no process can be had at all, until one gets ready.
    private var outage: AttachmentFailure?
    private var isShutDown = false
    private var nextNumber = 0
    /// Wakes whoever asks the zygote for processes.
    private(set) var refill: AsyncStream<Void>.Continuation?

    init(spareLimit: Int, schedule: Schedule) {
        self.spareLimit = spareLimit
        self.schedule = schedule
    }

    var status: DecoderPoolStatus {
        DecoderPoolStatus(
            spares: spares.count,
            running: schedule.runningCount,
            waiting: schedule.waitingCount,
            heldBytes: schedule.heldBytes,
            children: pids.count,
            zygotePID: zygotePID,
            restarts: max(0, zygotes - 1),
            sandbox: sandbox,
        )
    }

    // MARK: Jobs

    /// A number that nothing else in this pool has.
    mutating func makeNumber() -> Int {
        nextNumber += 1
        return nextNumber
    }

    mutating func wait(_ claim: Schedule.Claim, due deadline: Instant, _ wake: Wake) {
        var claim = claim
        claim.deadline = deadline
        schedule.wait(claim)
        waiters[claim.id] = wake
    }

    mutating func stopWaiting(_ id: Int) -> Wake? {
        schedule.stopWaiting(id) ? waiters.removeValue(forKey: id) : nil
    }

    /// Gives places, and spare processes to those who begin.
    mutating func match() -> [(Wake, Lease)] {
        var matches: [(Wake, Lease)] = schedule.grant(processes: spares.count).compactMap { claim in
            let lease = claim.needsProcess ? Lease.child(spares.removeFirst()) : .place
            return waiters.removeValue(forKey: claim.id).map { ($0, lease) }
        }
        if let outage {
            matches += schedule.dismissBeginners().compactMap { id in
                waiters.removeValue(forKey: id).map { ($0, .refused(outage)) }
            }
        }
        return matches
    }

    func couldHold(_ byteCount: Int) -> Bool { schedule.couldHold(byteCount) }

    mutating func move(_ id: Int, to deadline: Instant) { schedule.move(id, to: deadline) }

    mutating func pause(_ id: Int) { schedule.pause(id) }

    mutating func end(_ id: Int) { schedule.end(id) }

    mutating func refuse(_ failure: AttachmentFailure, forGood: Bool) {
        outage = failure
        isShutDown = isShutDown || forGood
        if isShutDown { spares = [] }
    }

    // MARK: Processes

    mutating func zygoteStarted(pid: Int, refill: AsyncStream<Void>.Continuation) {
        zygotes += 1
        zygotePID = pid
        failedStarts = 0
        self.refill = refill
    }

    /// The zygote is no more, and with it every process that it forked. Whether it had any that got ready.
    mutating func zygoteEnded() -> Bool {
        defer { (zygotePID, refill, sandbox) = (nil, nil, nil) }
        spares = []
        starts = [:]
        pids = [:]
        return sandbox != nil
    }

    /// The number of one more process to be started, if there are too few.
    mutating func claimStart() -> Int? {
        let target = max(spareLimit, schedule.isWaitedForByBeginners ? 1 : 0)
        guard !isShutDown, spares.count + starts.count < target else { return nil }
        let number = makeNumber()
        starts[number] = Start()
        return number
    }

    mutating func begin(_ number: Int, line: PacketSocket) { starts[number]?.line = line }

    mutating func forked(_ number: Int, pid: Int, process: ProcessHandle) {
        pids[number] = pid
        starts[number]?.pid = pid
        starts[number]?.process = process
        promote(number)
    }

    mutating func ready(_ number: Int, _ sandbox: SandboxReport) {
        starts[number]?.sandbox = sandbox
        promote(number)
    }

    mutating func abandonStart(_ number: Int) { starts[number] = nil }

    mutating func couldNotStart(_ number: Int) {
        starts.removeValue(forKey: number)?.process?.kill()
        failedStarts += 1
        if failedStarts >= Self.failedStartLimit { refill?.finish() }
    }

    /// A process was reaped. Its id.
    mutating func ended(_ number: Int) -> Int? {
        spares.removeAll { $0.number == number }
        return pids.removeValue(forKey: number)
    }

    /// The zygote's word that a process was forked and that process's own word that it is ready come in any order.
    private mutating func promote(_ number: Int) {
        guard let start = starts[number], let line = start.line, let pid = start.pid, let process = start.process,
            let sandbox = start.sandbox
        else { return }
        starts[number] = nil
        failedStarts = 0
        self.sandbox = sandbox
        if !isShutDown { outage = nil }
        spares.append(DecoderChild(number: number, pid: pid, process: process, line: line, sandbox: sandbox))
    }
}

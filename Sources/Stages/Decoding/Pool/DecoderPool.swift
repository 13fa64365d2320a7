package import Base
import DecoderWire
import Glibc
package import Media
import Sandbox
import Synchronization

/// A pool of decoder processes, forked and warmed up ahead of their jobs, each for one job.
package final class DecoderPool: Sendable {
    let configuration: DecoderPoolConfiguration
    let time: any TimeSource
    private let alarm: Alarm
    let watcher: any Readiness
    let startZygote: @Sendable () throws(SystemError) -> ZygoteProcess
    let state: Mutex<DecoderPoolState>
    private let supervisor = Mutex<Task<Void, Never>?>(nil)
    private let heartbeat: LoopHeartbeat
    let runningFormats = RunningFormats()

    package convenience init(_ configuration: DecoderPoolConfiguration, time: any TimeSource = SystemTime())
        throws(AttachmentFailure)
    {
        let watcher: ReadinessWatcher
        do throws(SystemError) {
            watcher = try ReadinessWatcher.start()
        } catch {
            throw AttachmentFailure(.decode, .decoderUnavailable, "The decoder pool cannot start: \(error).")
        }
        self.init(configuration, time: time, watcher: watcher) { () throws(SystemError) in
            try ZygoteProcess.start(configuration.decoderPath, watcher: watcher)
        }
    }

    /// Creates a pool over the zygotes that `startZygote` starts.
    init(
        _ configuration: DecoderPoolConfiguration,
        time: any TimeSource,
        watcher: any Readiness,
        startZygote: @escaping @Sendable () throws(SystemError) -> ZygoteProcess,
    ) {
        self.configuration = configuration
        self.time = time
        alarm = Alarm(time)
        self.watcher = watcher
        self.startZygote = startZygote
        let schedule = DecoderSchedule(
            slots: configuration.running,
            byteLimit: configuration.memoryBytes,
            tenants: configuration.tenants,
        )
        state = Mutex(DecoderPoolState(spareLimit: configuration.spares, schedule: schedule))
        heartbeat = LoopHeartbeat("decoders") { watcher.answer($0) }
        followFormats()
    }

    deinit { watcher.stop() }

    /// Starts the zygote and its first spares, and keeps them alive from then on. Does not wait for them.
    package func start() {
        supervisor.withLock { supervisor in
            if supervisor == nil { supervisor = Task { await self.supervise() } }
        }
    }

    /// Ends every process. Unfinished jobs fail.
    package func shutDown() async {
        refuse(AttachmentFailure(.decode, .decoderUnavailable, "The decoder pool is shut down."), forGood: true)
        let task = supervisor.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    package var status: DecoderPoolStatus { state.withLock(\.status) }

    /// Converts the job's source. The process is killed by the time this returns.
    ///
    /// - Returns: The time that the process worked. Waiting for bytes or for a turn is not included.
    /// - Throws: The reason why no better result will come. Emitted results stand. `decoderDied` means that the source
    ///   ended its decoder process, `decoderLied` that this process made an impossible claim.
    @discardableResult
    package func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        if let refusal = refusal(of: job.request.format) { throw refusal }
        let (id, deadline) = (state.withLock { $0.makeNumber() }, job.deadline)
        // The deadline is read under the pool's lock, here and in `obtain`: no move is missed, and the later of two
        // wins.
        deadline.onMove { self.state.withLock { $0.move(id, to: deadline.soonest) } }
        defer { deadline.onMove(nil) }
        let outcome = await withTaskGroup(of: Result<Duration, AttachmentFailure>?.self) { group in
            group.addTask { await self.perform(job, id) }
            group.addTask { await self.warn(before: deadline) }
            group.addTask { await self.timeOut(at: deadline) }
            defer { group.cancelAll() }
            for await case let outcome? in group { return outcome }
            return .failure(Conversation.cancelled)
        }
        return try outcome.get()
    }

    private func perform(_ job: ConversionJob, _ id: Int) async -> Result<Duration, AttachmentFailure> {
        let emitted = EmittedRungs()
        let job = job.recording(in: emitted)
        var (lost, evicted) = (0, 0)
        var byteCount = configuration.initialMemoryBytes
        do throws(AttachmentFailure) {
            while true {
                switch try await attempt(job, id, byteCount, emitted) {
                case .done(let worked): return .success(worked)
                case .lost:
                    // All spares may have died while they waited. A process that never had the source cannot have died
                    // over it.
                    lost += 1
                    guard lost <= configuration.spares else { throw Self.vanished }
                case .stopped: continue
                case .evicted(let needed):
                    // It holds nothing while it waits for all that it needs.
                    byteCount = needed
                    evicted += 1
                    guard evicted <= Self.evictionLimit else { throw Self.evicted }
                    _ = await job.file.contents { $0.ending != nil || $0.missing == nil }
                    guard !Task.isCancelled else { throw Conversation.cancelled }
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// The number of times that a job begins again after it gave its memory to others while it waited.
    private static let evictionLimit = 3

    private enum Attempt {
        case done(worked: Duration)
        /// The process was gone before it had the job.
        case lost
        /// Other jobs needed the process's memory. This one needs that much.
        case evicted(Int)
        /// A format was switched off that may be in the source. The next attempt finds out.
        case stopped
    }

    private func attempt(
        _ job: ConversionJob,
        _ id: Int,
        _ byteCount: Int,
        _ emitted: EmittedRungs,
    ) async throws(AttachmentFailure) -> Attempt {
        let claim = DecoderSchedule.Claim(
            id: id,
            deadline: job.deadline.soonest,
            tenant: WorkingTenant.name,
            isClip: job.request.format.kind != .image,
            byteCount: byteCount,
            needsProcess: true,
        )
        guard let child = try await obtain(claim, due: job.deadline) else { return .lost }
        let reservation = DecoderReservation(claim, due: job.deadline, in: self)
        defer { end(child, reservation) }
        runningFormats.begin(id, job.request.format, child.process)
        defer { runningFormats.end(id) }
        if let refusal = refusal(of: job.request.format) { throw refusal }
        job.onEvent(.decoding(since: time.now))
        var job = try job.limitedToWorthwhileRungs().without(emitted)
        job.request.disabled = disabled
        job.request.timeLeft = max(.zero, job.deadline.latest - time.now)
        guard !job.request.rungs.isEmpty else { return .done(worked: .zero) }
        let conversation = try Conversation.open(
            job,
            with: child,
            reservation,
            watcher: watcher,
            hasResults: !emitted.rungs.isEmpty,
        )
        guard let conversation else { return runningFormats.isStopped(id) ? .stopped : .lost }
        guard case .failure(let failure) = await conversation.run() else { return .done(worked: reservation.worked) }
        if runningFormats.isStopped(id), !Task.isCancelled { return .stopped }
        switch state.withLock({ $0.eviction(of: id) }) {
        case .idle?: return .evicted(reservation.byteCount)
        case .endless?: throw Self.endless
        case nil: break
        }
        if let call = conversation.triedCall { configuration.recorder.record(.forbiddenCall(pid: child.pid, call)) }
        switch failure.reason {
        case .disabled: recordRefusal(of: job.request.format)
        case .decoderLied: condemnZygote(of: child)
        case .decoderDied where !conversation.hasBegun: return .lost
        case .decoderDied: throw await death(of: child, trying: conversation.triedCall)
        default: break
        }
        throw failure
    }

    /// Returns the failure that the death of a process means. Only a death that the source caused is a crash.
    ///
    /// The pool's own kills don't come here. A process never causes SIGKILL itself: the filter forbids it to signal
    /// itself but with SIGABRT, and its limit on processor time ends it with SIGXCPU. So SIGKILL comes from the kernel,
    /// when the machine runs out of memory, or from an operator. Every other signal, and every exit without an answer,
    /// is a crash.
    private func death(of child: DecoderChild, trying call: String?) async -> AttachmentFailure {
        switch await ending(of: child) {
        case .known(.killed(signal: Int(SIGKILL))): return Self.killed
        case .vanished: return Self.vanished
        case .known, .missing:
            condemnZygote(of: child)
            return call.map(Conversation.died(trying:)) ?? Conversation.died
        }
    }

    private enum Ending: Sendable {
        case known(ProcessEnding)
        /// The process ended with its zygote.
        case vanished
        /// The process closed its line and goes on.
        case missing
    }

    /// Returns the end of a process that has closed its line. If the process ended, its zygote reports that soon.
    private func ending(of child: DecoderChild) async -> Ending {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                await child.endings.first { _ in true }.map { .known($0) } ?? .vanished
            }
            group.addTask {
                try? await self.time.sleep(for: Self.endingLimit)
                return .missing
            }
            defer { group.cancelAll() }
            return await group.next() ?? .missing
        }
    }

    private static let endingLimit: Duration = .seconds(2)

    /// Gives the next jobs to processes of another zygote, whose memory is laid out differently.
    private func condemnZygote(of child: DecoderChild) {
        state.withLock { $0.condemn(zygote: child.zygote, at: time.now) }
        settle()
    }

    /// Warns the decoder shortly before the deadline, so that it finishes the output at hand: at most a quarter of its time,
    /// which is enough for the best output of most pictures even where little is left.
    private func warn(before deadline: Deadline) async -> Result<Duration, AttachmentFailure>? {
        let notice = min(configuration.notice, max(.zero, deadline.latest - time.now) / 4)
        guard (try? await deadline.wait(on: time, until: { $0 - notice })) != nil else { return nil }
        deadline.recordCutback()
        deadline.warn()
        return nil
    }

    private func timeOut(at deadline: Deadline) async -> Result<Duration, AttachmentFailure> {
        do {
            try await deadline.wait(on: time)
            deadline.recordCutback()
            return .failure(AttachmentFailure(.decode, .timedOut, "The decoder process did not finish in time."))
        } catch {
            return .failure(Conversation.cancelled)
        }
    }

    /// Waits for the slot and memory that `claim` asks for, the most urgent claim first. Returns the process of a job
    /// that begins, and `nil` for other jobs.
    func obtain(
        _ claim: DecoderSchedule.Claim,
        due deadline: Deadline,
    ) async throws(AttachmentFailure) -> DecoderChild? {
        guard state.withLock({ $0.couldHold(claim.byteCount) }) else { throw Self.tooMuchMemory }
        let grant = await withWaiter { (waiter: Waiter<DecoderPoolState.Grant>) in
            // A job that is cancelled already takes no process from others.
            if Task.isCancelled { return .refused(Conversation.cancelled) }
            state.withLock { $0.wait(claim, due: deadline.soonest, waiter) }
            settle()
            return nil
        } onCancel: { _ in
            let waiter = state.withLock { $0.stopWaiting(claim.id) }
            waiter?.resume(returning: .refused(Conversation.cancelled))
        }
        switch grant {
        case .child(let child): return child
        case .slot: return nil
        case .refused(let failure): throw failure
        }
    }

    func pause(_ id: Int) {
        state.withLock { $0.pause(id, at: time.now) }
        settle()
    }

    func end(_ id: Int) {
        state.withLock { $0.end(id) }
        settle()
    }

    /// Ends a process with its job, whatever it still does: a process has one job only.
    private func end(_ child: DecoderChild, _ reservation: DecoderReservation) {
        child.process.kill()
        reservation.end()
    }

    /// Fails every job that waits for a process now or later, until a process becomes ready.
    func refuse(_ failure: AttachmentFailure, forGood: Bool = false) {
        state.withLock { $0.refuse(failure, forGood: forGood) }
        settle()
    }

    /// Matches jobs with processes, ends processes that must give way, and asks for more processes if there are too
    /// few.
    func settle() {
        let (changes, refill) = state.withLock { ($0.settle(at: time.now), $0.refill) }
        for process in changes.evicted { process.kill() }
        for (waiter, grant) in changes.grants { waiter.resume(returning: grant) }
        refill?.yield()
        alarm.set(for: changes.next) { [weak self] in self?.settle() }
    }

    private static let tooMuchMemory = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The source needs more memory than all decoders together may use.",
    )
    private static let evicted = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The source came so slowly that other jobs took the memory of its decoder process.",
    )
    private static let endless = AttachmentFailure(
        .decode,
        .timedOut,
        "Decoding took so long that other jobs took the turn of this source.",
    )
    private static let killed = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The decoder process was killed from outside. The machine may have run out of memory.",
    )
    private static let vanished = AttachmentFailure(
        .decode,
        .decoderUnavailable,
        "The decoder process was lost, and not because of the source. Try again.",
    )
}

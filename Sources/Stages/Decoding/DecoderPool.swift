import DecoderWire
import Glibc
package import Media
import Sandbox
import Synchronization
package import Timing

/// Decoder processes, forked and warmed up ahead of their jobs, each for one job.
package final class DecoderPool: Sendable {
    let configuration: DecoderPoolConfiguration
    let time: any TimeSource
    let watcher: ReadinessWatcher
    let state: Mutex<DecoderPoolState>
    private let supervisor = Mutex<Task<Void, Never>?>(nil)
    private let heartbeat: LoopHeartbeat

    package init(_ configuration: DecoderPoolConfiguration, time: any TimeSource = SystemTime())
        throws(AttachmentFailure)
    {
        self.configuration = configuration
        self.time = time
        let schedule = DecoderSchedule(places: configuration.running, byteLimit: configuration.memoryBytes)
        state = Mutex(DecoderPoolState(spareLimit: configuration.spares, schedule: schedule))
        do throws(SystemError) {
            let watcher = try ReadinessWatcher.start()
            self.watcher = watcher
            heartbeat = LoopHeartbeat("decoders") { watcher.answer($0) }
        } catch {
            throw AttachmentFailure(.decode, .decoderUnavailable, "The decoder pool cannot start: \(error).")
        }
    }

    deinit { watcher.stop() }

    /// Starts the zygote and its first spares, and keeps them alive from then on. Does not wait for them.
    package func start() {
        supervisor.withLock { supervisor in
            if supervisor == nil { supervisor = Task { await self.supervise() } }
        }
    }

    /// Ends every process. Jobs that are not done are answered with a failure.
    package func shutDown() async {
        refuse(AttachmentFailure(.decode, .decoderUnavailable, "The decoder pool is shut down."), forGood: true)
        let task = supervisor.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    package var status: DecoderPoolStatus { state.withLock(\.status) }

    /// Has `file` converted. Its process is killed by the time this returns.
    ///
    /// - Parameters:
    ///   - file: may still grow; once it ends, the decoder makes what it can of what is there.
    ///   - request: what to make of it.
    ///   - rungs: asked when a process is free, which rungs are worth trying in the time that is left then; none if
    ///     the time is too short for anything. Without it, those of `request` are tried.
    ///   - outputCapacity: the most bytes of one result.
    ///   - deadline: its soonest says how urgent the job is; at its latest the process is killed, whatever it does.
    ///   - expiry: lets the caller ask for an early end with what there is.
    ///   - describe: told from the source's header, before any result, and within the limits of `request`. Told again
    ///     if the job had to begin again.
    ///   - show: given the preview, a JPEG that was checked, if the request asks for one and the source has pictures.
    ///   - publish: told of each result once it is complete and checked; later ones are better.
    /// - Returns: How long the process worked. What it waited for, bytes or its turn, is not in it.
    /// - Throws: Why no better result will come. What was published stands. `decoderDied` says that the source ended its
    ///   decoder process, `decoderLied` that this process said what cannot be.
    @discardableResult
    package func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        rungs: (@Sendable () -> Set<Rung>)? = nil,
        outputCapacity: Int,
        until deadline: MovingDeadline,
        expiry: ExpirySignal = ExpirySignal(),
        describe: @escaping @Sendable (SourceReport) -> Void = { _ in },
        show: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) -> Duration {
        let job = ConversionJob(
            file: file,
            request: request,
            outputCapacity: outputCapacity,
            expiry: expiry,
            describe: describe,
            show: show,
            publish: publish,
            published: PublishedRungs(),
        )
        let id = state.withLock { $0.makeNumber() }
        // Read under the pool's lock here and in `obtain`, so that no move is missed and of two the later one counts.
        deadline.onMove { self.state.withLock { $0.move(id, to: deadline.soonest) } }
        defer { deadline.onMove(nil) }
        let outcome = await withTaskGroup(of: Result<Duration, AttachmentFailure>.self) { group in
            group.addTask { await self.perform(job, id, rungs, until: deadline) }
            group.addTask { await self.timeOut(at: deadline) }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Conversation.cancelled)
        }
        return try outcome.get()
    }

    private func perform(
        _ job: ConversionJob,
        _ id: Int,
        _ rungs: (@Sendable () -> Set<Rung>)?,
        until deadline: MovingDeadline,
    ) async -> Result<Duration, AttachmentFailure> {
        var (lost, evicted) = (0, 0)
        do throws(AttachmentFailure) {
            while true {
                switch try await attempt(job, id, rungs, until: deadline) {
                case .done(let worked): return .success(worked)
                case .lost:
                    // All spares may have died while they waited. What never had the source cannot have died over it.
                    lost += 1
                    guard lost <= configuration.spares else { throw Self.vanished }
                case .evicted:
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

    /// So often a job begins again that had to give its memory to others while it waited.
    private static let evictionLimit = 3

    private enum Attempt {
        case done(worked: Duration)
        /// The process was gone before it had the job.
        case lost
        /// Others needed its memory.
        case evicted
    }

    private func attempt(
        _ job: ConversionJob,
        _ id: Int,
        _ rungs: (@Sendable () -> Set<Rung>)?,
        until deadline: MovingDeadline,
    ) async throws(AttachmentFailure) -> Attempt {
        let claim = DecoderSchedule.Claim(
            id: id,
            deadline: deadline.soonest,
            isClip: job.request.format.kind != .image,
            byteCount: configuration.initialMemoryBytes,
            needsProcess: true,
        )
        guard let child = try await obtain(claim, due: deadline) else { return .lost }
        let place = DecoderReservation(claim, due: deadline, in: self)
        defer { end(child, place) }
        let job = try job.limited(to: rungs?()).withoutPublishedRungs
        guard !job.request.rungs.isEmpty else { return .done(worked: .zero) }
        guard let conversation = try Conversation.open(job, with: child, at: place, watcher: watcher) else {
            return .lost
        }
        guard case .failure(let failure) = await conversation.run() else { return .done(worked: place.worked) }
        switch state.withLock({ $0.eviction(of: id) }) {
        case .idle?: return .evicted
        case .endless?: throw Self.endless
        case nil: break
        }
        switch failure.reason {
        case .decoderLied: condemnZygote(of: child)
        case .decoderDied where !conversation.hasBegun: return .lost
        case .decoderDied: throw await death(of: child)
        default: break
        }
        throw failure
    }

    /// What the death of a process says. Only one that the source caused is a crash.
    ///
    /// The pool's own kills don't come here. SIGKILL is never the process's own doing: the filter forbids it to signal
    /// itself but with SIGABRT, and its limit on processor time ends it with SIGXCPU. So it comes from the kernel, for want
    /// of the machine's memory, or from an operator. Every other signal, and every way to leave without an answer, is a
    /// crash.
    private func death(of child: DecoderChild) async -> AttachmentFailure {
        switch await ending(of: child) {
        case .known(.killed(signal: Int(SIGKILL))): return Self.killed
        case .vanished: return Self.vanished
        case .known, .missing:
            condemnZygote(of: child)
            return Conversation.died
        }
    }

    private enum Ending: Sendable {
        case known(ProcessEnding)
        /// It ended with its zygote.
        case vanished
        /// It closed its line and goes on.
        case missing
    }

    /// How a process ended that has closed its line. The zygote tells soon, if it ended.
    private func ending(of child: DecoderChild) async -> Ending {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                await child.endings.first { _ in true }.map { .known($0) } ?? .vanished
            }
            group.addTask {
                try? await self.time.sleep(until: self.time.now + Self.endingPatience)
                return .missing
            }
            defer { group.cancelAll() }
            return await group.next() ?? .missing
        }
    }

    private static let endingPatience: Duration = .seconds(2)

    /// Has the next jobs done by processes of another zygote, whose memory is laid out in another way.
    private func condemnZygote(of child: DecoderChild) {
        state.withLock { $0.condemn(zygote: child.zygote, at: time.now) }
        settle()
    }

    private func timeOut(at deadline: MovingDeadline) async -> Result<Duration, AttachmentFailure> {
        do {
            try await deadline.wait(on: time)
            deadline.recordCutback()
            return .failure(AttachmentFailure(.decode, .timedOut, "The decoder process was not done in time."))
        } catch {
            return .failure(Conversation.cancelled)
        }
    }

    /// Waits for what `claim` asks for, the most urgent first: the process of a job that begins, `nil` for others.
    func obtain(
        _ claim: DecoderSchedule.Claim,
        due deadline: MovingDeadline,
    ) async throws(AttachmentFailure) -> DecoderChild? {
        guard state.withLock({ $0.couldHold(claim.byteCount) }) else { throw Self.tooMuchMemory }
        let lease = await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.wait(claim, due: deadline.soonest, wake)
                    return false
                }
                if isCancelled { wake.resume(returning: .refused(Conversation.cancelled)) } else { settle() }
            }
        } onCancel: {
            let wake = state.withLock { $0.stopWaiting(claim.id) }
            wake?.resume(returning: .refused(Conversation.cancelled))
        }
        switch lease {
        case .child(let child): return child
        case .place: return nil
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

    /// One job per process: whatever it still does, it ends here.
    private func end(_ child: DecoderChild, _ place: DecoderReservation) {
        child.process.kill()
        place.end()
    }

    /// Answers everybody who waits for a process, and will, until one gets ready.
    func refuse(_ failure: AttachmentFailure, forGood: Bool = false) {
        state.withLock { $0.refuse(failure, forGood: forGood) }
        settle()
    }

    /// Matches jobs with processes, ends those that have to give way, and asks for more processes if there are too few.
    func settle() {
        let (changes, refill) = state.withLock { ($0.settle(at: time.now), $0.refill) }
        for process in changes.evicted { process.kill() }
        for (wake, lease) in changes.leases { wake.resume(returning: lease) }
        refill?.yield()
        guard let next = changes.next, state.withLock({ $0.needsTimer(for: next) }) else { return }
        Task { [weak self, time] in
            try? await time.sleep(until: next)
            self?.state.withLock { $0.timerIsOver(next) }
            self?.settle()
        }
    }

    private static let tooMuchMemory = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The source needs more memory than all decoders may use together.",
    )
    private static let evicted = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The source came so slowly that others needed the memory of its decoder process.",
    )
    private static let endless = AttachmentFailure(
        .decode,
        .timedOut,
        "The decoder process worked for very long on this source while others waited.",
    )
    private static let killed = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The decoder process was killed from outside, as the kernel does when the machine's memory is used up.",
    )
    private static let vanished = AttachmentFailure(
        .decode,
        .decoderUnavailable,
        "The decoder process was lost. The source is not to blame for that.",
    )
}

package import Media
import Sandbox
import Synchronization

/// Decoder processes, forked and warmed up ahead of their jobs, each for one job.
package final class DecoderPool: Sendable {
    let configuration: DecoderPoolConfiguration
    let time: any TimeSource
    let watcher: ReadinessWatcher
    let state: Mutex<DecoderPoolState>
    private let supervisor = Mutex<Task<Void, Never>?>(nil)

    package init(_ configuration: DecoderPoolConfiguration, time: any TimeSource = SystemTime())
        throws(AttachmentFailure)
    {
        self.configuration = configuration
        self.time = time
        let schedule = Schedule(places: configuration.running, byteLimit: configuration.memoryBytes)
        state = Mutex(DecoderPoolState(spareLimit: configuration.spares, schedule: schedule))
        do throws(SystemError) {
            watcher = try ReadinessWatcher.start()
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
    ///   - describe: told at most once, from the source's header, before any result. Not checked.
    ///   - show: given the preview, a JPEG that was checked, if the request asks for one and the source has pictures.
    ///   - publish: told of each result once it is complete and checked; later ones are better.
    /// - Returns: How long the process worked. What it waited for, bytes or its turn, is not in it.
    /// - Throws: Why no better result will come. What was published stands.
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
        do throws(AttachmentFailure) {
            // All spares may have died while they waited. What never had the source cannot have died over it.
            for _ in 0...configuration.spares {
                if let worked = try await attempt(job, id, rungs, until: deadline) { return .success(worked) }
            }
            throw Conversation.died
        } catch {
            return .failure(error)
        }
    }

    /// `nil` if the process was gone before it had the job.
    private func attempt(
        _ job: ConversionJob,
        _ id: Int,
        _ rungs: (@Sendable () -> Set<Rung>)?,
        until deadline: MovingDeadline,
    ) async throws(AttachmentFailure) -> Duration? {
        let claim = Schedule.Claim(
            id: id,
            deadline: deadline.soonest,
            isClip: job.request.format.kind != .image,
            byteCount: configuration.initialMemoryBytes,
            needsProcess: true,
        )
        guard let child = try await obtain(claim, due: deadline) else { return nil }
        let place = Place(claim, due: deadline, in: self)
        defer { end(child, place) }
        let job = try job.limited(to: rungs?())
        guard let conversation = try Conversation.open(job, with: child, at: place, watcher: watcher) else {
            return nil
        }
        switch await conversation.run() {
        case .success: return place.worked
        case .failure(let failure):
            guard failure.reason != .decoderDied || conversation.hasBegun else { return nil }
            throw failure
        }
    }

    private func timeOut(at deadline: MovingDeadline) async -> Result<Duration, AttachmentFailure> {
        do {
            try await deadline.wait(on: time)
            deadline.act()
            return .failure(AttachmentFailure(.decode, .timedOut, "The decoder process was not done in time."))
        } catch {
            return .failure(Conversation.cancelled)
        }
    }

    /// Waits for what `claim` asks for, the most urgent first: the process of a job that begins, `nil` for others.
    func obtain(
        _ claim: Schedule.Claim,
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
        state.withLock { $0.pause(id) }
        settle()
    }

    func end(_ id: Int) {
        state.withLock { $0.end(id) }
        settle()
    }

    /// One job per process: whatever it still does, it ends here.
    private func end(_ child: DecoderChild, _ place: Place) {
        child.process.kill()
        place.end()
    }

    /// Answers everybody who waits for a process, and will, until one gets ready.
    func refuse(_ failure: AttachmentFailure, forGood: Bool = false) {
        state.withLock { $0.refuse(failure, forGood: forGood) }
        settle()
    }

    /// Matches jobs with processes, and asks for more processes if there are too few.
    func settle() {
        let (matches, refill) = state.withLock { ($0.match(), $0.refill) }
        for (wake, lease) in matches { wake.resume(returning: lease) }
        refill?.yield()
    }

    private static let tooMuchMemory = AttachmentFailure(
        .decode,
        .resourceLimit,
        "The source needs more memory than all decoders may use together.",
    )
}

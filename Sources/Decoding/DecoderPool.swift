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
        state = Mutex(DecoderPoolState(spareLimit: configuration.spares, runningLimit: configuration.running))
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
    ///   - outputCapacity: the most bytes of one result.
    ///   - deadline: when the process is killed, whatever it does.
    ///   - expiry: lets the caller ask for an early end with what there is.
    ///   - describe: told at most once, from the source's header, before any result. Not checked.
    ///   - publish: told of each result once it is complete and checked; later ones are better.
    /// - Throws: Why no better result will come. What was published stands.
    package func convert(
        _ file: MediaFile,
        as request: ConversionRequest,
        outputCapacity: Int,
        until deadline: Instant,
        expiry: ExpirySignal = ExpirySignal(),
        describe: @escaping @Sendable (SourceReport) -> Void = { _ in },
        publish: @escaping @Sendable (ReadyRung) -> Void,
    ) async throws(AttachmentFailure) {
        let job = ConversionJob(
            file: file,
            request: request,
            outputCapacity: outputCapacity,
            expiry: expiry,
            describe: describe,
            publish: publish,
        )
        let outcome = await withTaskGroup(of: Conversation.Outcome.self) { group in
            group.addTask { await self.perform(job) }
            group.addTask { await self.timeOut(at: deadline) }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Conversation.cancelled)
        }
        try outcome.get()
    }

    private func perform(_ job: ConversionJob) async -> Conversation.Outcome {
        do throws(AttachmentFailure) {
            while true {
                let child = try await lease()
                defer { end(child) }
                // A spare may have died while it waited; it never saw the source, so the next one may try.
                guard let conversation = try Conversation.open(job, with: child, watcher: watcher) else { continue }
                return await conversation.run()
            }
        } catch {
            return .failure(error)
        }
    }

    private func timeOut(at deadline: Instant) async -> Conversation.Outcome {
        do {
            try await time.sleep(until: deadline)
            return .failure(AttachmentFailure(.decode, .timedOut, "The decoder process was not done in time."))
        } catch {
            return .failure(Conversation.cancelled)
        }
    }

    /// Waits for a process, in the order of arrival.
    private func lease() async throws(AttachmentFailure) -> DecoderChild {
        let id = state.withLock { $0.makeNumber() }
        let lease = await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.wait(DecoderPoolState.Waiter(id: id, wake: wake))
                    return false
                }
                if isCancelled { wake.resume(returning: .refused(Conversation.cancelled)) } else { settle() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.stopWaiting(id) }
            waiter?.wake.resume(returning: .refused(Conversation.cancelled))
        }
        switch lease {
        case .child(let child): return child
        case .refused(let failure): throw failure
        }
    }

    /// One job per process: whatever it still does, it ends here.
    private func end(_ child: DecoderChild) {
        child.process.kill()
        state.withLock { $0.release() }
        settle()
    }

    /// Answers everybody who waits for a process, and will, until one gets ready.
    func refuse(_ failure: AttachmentFailure, forGood: Bool = false) {
        state.withLock { $0.refuse(failure, forGood: forGood) }
        settle()
    }

    /// Matches jobs with processes, and asks for more processes if there are too few.
    func settle() {
        let (matches, refill) = state.withLock { ($0.match(), $0.refill) }
        for (waiter, lease) in matches { waiter.wake.resume(returning: lease) }
        refill?.yield()
    }
}

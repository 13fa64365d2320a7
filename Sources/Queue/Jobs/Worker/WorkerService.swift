package import Base
import Media
import ServiceLifecycle
import Synchronization

/// A service that leases jobs from a queue and answers each of them.
///
/// When it is told to stop, it lets jobs finish that a decoder has begun, gives the others back and leaves the queue.
/// `WorkerState` decides; this class acts. Leases, renewals, timers and answers run on their own thread, the work itself
/// on Swift's pool.
package final class WorkerService: Service {
    struct Guarded {
        var worker: WorkerState
        var tasks: [Lease: Task<Void, Never>] = [:]
    }

    let queue: any JobQueue
    let handler: any JobHandler
    private let callbacks: CallbackDelivery?
    private let limits: WorkerLimits
    let time: any TimeSource
    let recorder: any EventRecorder<WorkerEvent>
    private let onDemand: @Sendable (Int) -> Void
    private let waitingForDecoders: @Sendable () -> Int
    let cost: JobCost?
    private let fleet = Atomic(1)
    /// The executor of leases, renewals, timers and answers; `nil` for Swift's pool.
    private let thread: (any TaskExecutor)?
    /// The executor of the work; `nil` for that of its task.
    var workExecutor: (any TaskExecutor)? { thread == nil ? nil : globalConcurrentExecutor }
    let state: Mutex<Guarded>

    private let toldToStop = WakeUp()
    let roomChanged = WakeUp()
    let timersChanged = WakeUp()
    private let emptied = WakeUp()
    let callbackAdded = WakeUp()

    /// The maximum number of jobs that one call leases.
    private static let leaseGroup = 16
    private static let leaseWait = Duration.seconds(1)
    /// The time between two looks for extra jobs while the worker has enough: 20 ms, or more in a large fleet, whose
    /// workers all ask the same server.
    private var lookTime: Duration {
        min(.milliseconds(500), max(.milliseconds(20), .milliseconds(3) * fleet.load(ordering: .relaxed)))
    }
    private static let renewalTime = Duration.seconds(1)

    /// Creates a worker. Without a `poster`, other workers post the answers. `cost` learns how long jobs take. `onDemand`
    /// receives the number of jobs that wait for a free slot whenever it changes. `waitingForDecoders` returns the number
    /// of jobs that wait for a decoder. A simulation leaves out the `thread`.
    package init(
        queue: any JobQueue,
        handler: any JobHandler,
        poster: (any CallbackPoster)? = nil,
        callbackPolicy: CallbackPolicy = CallbackPolicy(),
        limits: WorkerLimits,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<WorkerEvent> = NoRecorder<WorkerEvent>(),
        onDemand: @escaping @Sendable (Int) -> Void = { _ in },
        waitingForDecoders: @escaping @Sendable () -> Int = { 0 },
        cost: JobCost? = nil,
        thread: (any TaskExecutor)? = WorkerThread(),
    ) {
        self.queue = queue
        self.handler = handler
        self.limits = limits
        self.time = time
        self.recorder = recorder
        self.onDemand = onDemand
        self.waitingForDecoders = waitingForDecoders
        self.cost = cost
        self.thread = thread
        state = Mutex(Guarded(worker: WorkerState(limits: limits)))
        callbacks = poster.map { [callbackAdded] in
            CallbackDelivery(
                queue: queue,
                poster: $0,
                policy: callbackPolicy,
                time: time,
                recorder: recorder,
                callbackAdded: callbackAdded,
            )
        }
    }

    /// Runs until the worker was told to stop and has stopped.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await serve()
        } onGracefulShutdown: {
            self.stop()
        }
        // If this fails, nothing is lost: the leases end by themselves.
        await recorder.answer { try await queue.leave() }
    }

    /// Notes the number of workers that take jobs from the queue.
    package func fleetHas(_ count: Int) { fleet.store(count, ordering: .relaxed) }

    /// Begins the graceful shutdown.
    package func stop() { toldToStop.wake() }

    /// A Boolean value that indicates whether the worker takes no more jobs.
    package var isDraining: Bool { state.withLock(\.worker.isDraining) }

    /// The number of jobs in progress.
    package var workingCount: Int { state.withLock(\.worker.workingCount) }

    private func serve() async {
        await withDiscardingTaskGroup { keeping in
            keeping.addTask(executorPreference: thread) { await self.renewLeases() }
            keeping.addTask(executorPreference: thread) { await self.answerOnTime() }
            if let callbacks { keeping.addTask { await callbacks.run() } }
            await withDiscardingTaskGroup { taking in
                taking.addTask(executorPreference: thread) { await self.leaseJobs() }
                taking.addTask(executorPreference: thread) { await self.reclaimJobs() }
                try? await toldToStop.wait()
                taking.cancelAll()
            }
            await drain()
            keeping.cancelAll()
        }
        for task in state.withLock(\.tasks).values { task.cancel() }
    }

    // MARK: Taking jobs

    private func leaseJobs() async {
        var backOff = BackOff()
        var nextLook = time.now
        while !Task.isCancelled {
            let waiting = waitingForDecoders()
            let (ahead, room) = state.withLock { guarded in
                guarded.worker.decodersHave(waiting: waiting)
                return (guarded.worker.roomAhead, guarded.worker.room)
            }
            do {
                if ahead > 0 {
                    take(try await queue.lease(min(ahead, Self.leaseGroup), waiting: Self.leaseWait))
                } else if room > 0, nextLook <= time.now {
                    let limit = min(room, Self.leaseGroup)
                    let extra = state.withLock(\.worker.extra)
                    let jobs = try await queue.lease(limit, only: extra, waiting: .zero)
                    if jobs.count < limit { nextLook = time.now + lookTime }
                    take(jobs)
                } else if room > 0 {
                    try await roomChanged.wait(until: nextLook, on: time)
                } else {
                    try await roomChanged.wait()
                }
                backOff.succeeded()
            } catch {
                await recover(from: error, &backOff)
            }
        }
    }

    /// The pause between two looks for jobs whose worker died or hangs, in milliseconds. It is random, which spreads the
    /// requests of workers that started together.
    static let reclaimPause = 800...1200

    private func reclaimJobs() async {
        var backOff = BackOff()
        while !Task.isCancelled {
            do {
                try await time.sleep(for: .milliseconds(Int.random(in: Self.reclaimPause)))
                // After the process was suspended, its leases have run out. Without a renewal, it would reclaim its own
                // jobs.
                await renew()
                while case let room = state.withLock(\.worker.room), room > 0 {
                    let jobs = try await queue.reclaim(min(room, Self.leaseGroup))
                    guard !jobs.isEmpty else { break }
                    recorder.record(.reclaimed(jobs.count))
                    take(jobs)
                }
                backOff.succeeded()
            } catch {
                await recover(from: error, &backOff)
            }
        }
    }

    private func take(_ jobs: [LeasedJob]) {
        perform { $0.take(jobs, now: time.now) }
    }

    private func recover(from error: any Error, _ backOff: inout BackOff) async {
        if let error = error as? JobQueueError { recorder.record(.queueFailed(error)) }
        try? await time.sleep(for: backOff.next())
    }

    // MARK: Keeping them

    private func renewLeases() async {
        while !Task.isCancelled {
            try? await time.sleep(for: Self.renewalTime)
            await renew()
        }
    }

    private func renew() async {
        let leases = state.withLock(\.worker.leases)
        // If the queue fails, the next renewal follows soon.
        guard !leases.isEmpty, let refused = await recorder.answer({ try await queue.renew(leases) }) else { return }
        let lost = state.withLock { guarded in refused.filter(guarded.worker.canLose) }
        guard !lost.isEmpty else { return }
        recorder.record(.lost(lost.count))
        perform { $0.lost(lost) }
    }

    private func answerOnTime() async {
        while !Task.isCancelled {
            do {
                if let next = state.withLock(\.worker.nextAnswer) {
                    try await timersChanged.wait(until: next, on: time)
                } else {
                    try await timersChanged.wait()
                }
                perform { $0.timePassed(time.now) }
            } catch {
                return
            }
        }
    }

    /// Returns the jobs that no decoder has begun to the queue, waits for the others, and then returns the jobs that have
    /// not ended. The answers to jobs that were due get a little more time.
    private func drain() async {
        let end = time.now + limits.drainTime
        await giveBack { $0.drain(now: time.now) }
        await waitUntilEmpty(or: end)
        // It may be later than planned, if the process was suspended.
        let last = time.now
        await giveBack { $0.endDrain(now: last) }
        await waitUntilEmpty(or: last + limits.lastTime + .seconds(1))
    }

    private func waitUntilEmpty(or end: Instant) async {
        while !state.withLock(\.worker.isEmpty), time.now < end, !Task.isCancelled {
            try? await emptied.wait(until: end, on: time)
        }
    }

    func giveBack(_ choose: (inout WorkerState) -> WorkerState.Returned) async {
        var returned = WorkerState.Returned()
        perform { worker in
            returned = choose(&worker)
            return returned.actions
        }
        // If this fails, their leases end soon.
        for (leases, isBrokenOff) in [(returned.unstarted, false), (returned.brokenOff, true)] where !leases.isEmpty {
            guard await recorder.answer({ try await queue.giveBack(leases, isBrokenOff: isBrokenOff) }) != nil
            else { continue }
            recorder.record(.gaveBack(leases.count))
        }
    }

    // MARK: Actions

    func perform(_ event: (inout WorkerState) -> [WorkerState.Action]) {
        let (lateness, waiting) = (time.lateness, waitingForDecoders())
        let (actions, isSooner, demand) = state.withLock { guarded in
            let (before, demandBefore) = (guarded.worker.nextAnswer, guarded.worker.jobsWithoutSlot)
            guarded.worker.lateness = lateness
            guarded.worker.decodersHave(waiting: waiting)
            let actions = event(&guarded.worker)
            let (after, demand) = (guarded.worker.nextAnswer, guarded.worker.jobsWithoutSlot)
            let isSooner = after.map { after in before.map { after < $0 } ?? true } ?? false
            return (actions, isSooner, demand == demandBefore ? nil : demand)
        }
        if let demand { onDemand(demand) }
        for action in actions { perform(action) }
        if isSooner { timersChanged.wake() }
        roomChanged.wake()
        emptied.wake()
    }

    private func perform(_ action: WorkerState.Action) {
        switch action {
        case .work(let job, let deadline):
            state.withLock { guarded in
                // Its answer must not wait for the pool, either.
                guarded.tasks[job.lease] = Task(executorPreference: thread) {
                    await self.work(on: job, until: deadline)
                }
            }
        case .answer(let job, let status):
            Task(executorPreference: thread) {
                await self.finish(job, with: self.answerWithoutWork(job, status))
            }
        case .deadLetter(let job):
            Task(executorPreference: thread) { await self.deadLetter(job) }
        case .stop(let lease):
            state.withLock { $0.tasks.removeValue(forKey: lease) }?.cancel()
        }
    }
}

// MARK: - Events

extension EventRecorder<WorkerEvent> {
    /// Returns the queue's answer to a question that a later one repeats; `nil` if it failed, which is recorded.
    @discardableResult
    func answer<Value>(_ ask: () async throws -> Value) async -> Value? {
        do {
            return try await ask()
        } catch {
            if let error = error as? JobQueueError { record(.queueFailed(error)) }
            return nil
        }
    }
}

/// An event of a worker.
package enum WorkerEvent: Sendable, Equatable {
    /// The work on a job, or on its callback, began or ended.
    case work(Activity, WorkEvent)
    /// A job was answered. `after` is the time since it was enqueued. `margin` is the time left, negative if late.
    case answered(JobName, JobReply.Status, after: Duration, margin: Duration)
    /// The queue refused an answer because the lease was lost.
    case stale(JobName)
    /// The number of leases that were lost while this worker held them.
    case lost(Int)
    /// The number of jobs that this worker reclaimed from workers that died or hang.
    case reclaimed(Int)
    /// A job became a dead letter.
    case deadLettered(JobName)
    case gaveBack(Int)
    /// The outcome of an attempt to post an answer. A callback that is given up is refused.
    case callback(CallbackOutcome)
    /// An attempt to post an answer failed, the one with this number. A later one may succeed.
    case callbackFailed(JobName, tries: Int, CallbackResult)
    /// The worker gave up posting an answer after this number of failed attempts.
    case callbackGivenUp(JobName, tries: Int, CallbackResult)
    /// The queue failed. The worker tries again.
    case queueFailed(JobQueueError)
}

/// An event of the work on a job or on its callback.
package enum WorkEvent: Sendable, Equatable {
    /// A job begins, `waited` after it was enqueued.
    case begins(LeasedJob, waited: Duration)
    /// A job is answered without work on it.
    case declines(LeasedJob)
    case answered(JobReply.Status)
    /// An answer is posted to its callback.
    case posts(LeasedCallback)
    case posted(CallbackResult)
}

// MARK: - The thread

/// A thread outside Swift's pool. It renews leases and answers jobs on time even while all threads of the pool are
/// busy, and the kernel prefers it to other threads and programs where it may.
package final class WorkerThread: TaskExecutor {
    private let thread: WorkThreads
    private let heartbeat: LoopHeartbeat

    package init() {
        let thread = WorkThreads("worker", limit: 1, isUrgent: true)
        self.thread = thread
        heartbeat = LoopHeartbeat("worker") { thread.append($0) }
        guard thread.append({}) != nil else {
            preconditionFailure("The process cannot start a thread. Raise the limit of threads (ulimit -u).")
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let (job, executor) = unsafe (UnownedJob(job), asUnownedTaskExecutor())
        thread.append { unsafe job.runSynchronously(on: executor) }
    }
}

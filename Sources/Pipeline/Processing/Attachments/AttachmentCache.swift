import Events
import Media
import ServiceExtension
import Synchronization
import Timing
import Values

/// A cache of attachments that also coalesces requests: identical work under way is joined, and finished work is used
/// again for as long as the origin allows.
///
/// Work is identical if its keys are equal. Answers that the origin restricts to one client are neither joined nor
/// cached. The cache does not survive a restart.
final class AttachmentCache: Sendable {
    typealias Progress = SharedAttachmentJob.Progress

    fileprivate struct State {
        var running: [AttachmentKey: SharedAttachmentJob] = [:]
        var cached = BoundedTable<AttachmentKey, CachedAttachment>(entryLimit: 4096, byteLimit: 268_435_456)
    }

    private enum Way {
        case cached(CachedAttachment)
        case joined(SharedAttachmentJob, number: Int)
        case begun(SharedAttachmentJob, number: Int, before: CachedAttachment?)
    }

    private let steps: AttachmentPipeline.Steps
    private let time: any TimeSource
    private let rule: ReuseRule
    private let instrument: any Instrument<ProcessingEvent>
    private let costs: CostModel
    private let crashes = CrashMemory()
    private let state = Mutex(State())

    init(
        steps: AttachmentPipeline.Steps,
        time: any TimeSource,
        rule: ReuseRule,
        costs: CostModel,
        instrument: any Instrument<ProcessingEvent>,
    ) {
        self.steps = steps
        self.time = time
        self.rule = rule
        self.costs = costs
        self.instrument = instrument
    }

    /// Makes the attachment from the source at `url`, joins work under way for it, or takes it from the cache. `note`
    /// receives all progress.
    ///
    /// Returns when nothing better will come or the task is cancelled. The caller cancels it at `expiry`.
    func make(
        _ key: AttachmentKey,
        from url: String,
        until expiry: Instant,
        _ note: @escaping @Sendable (Progress) -> Void,
    ) async {
        var isAlone = false
        var best = AttachmentContent()
        while !Task.isCancelled {
            let note: @Sendable (Progress) -> Void = { [best] in note($0.keeping(best)) }
            let (job, number): (SharedAttachmentJob, Int)
            switch way(key, until: expiry, isAlone: isAlone, note) {
            case .cached(let cached):
                guard let content = await renewed(cached) else {
                    state.withLock { $0.cached.remove(key) }
                    continue
                }
                instrument.record(.attachment(.reused))
                return note(Progress(content: content, downloaded: time.now))
            case .joined(let joined, let id):
                instrument.record(.attachment(.joined))
                (job, number) = (joined, id)
            case .begun(let begun, let id, let before):
                instrument.record(.attachment(.begun))
                begun.start { [self] in await work(on: begun, key, url, before) }
                (job, number) = (begun, id)
            }
            switch await job.ending(for: number) {
            case .over: return
            case .again: best = job.progress.content
            case .apart: isAlone = true
            case .left:
                return state.withLock { if !job.isOpen { $0.forget(job, for: key) } }
            }
        }
    }

    /// Drops matching cached attachments, and lets nobody join matching work under way.
    func forget(
        _ isForgotten: @Sendable (AttachmentKey, CachedAttachment) -> Bool,
        running: @Sendable (AttachmentKey) -> Bool,
    ) {
        state.withLock { state in
            state.cached.removeAll(where: isForgotten)
            state.running = state.running.filter { !running($0.key) }
        }
    }

    private func way(
        _ key: AttachmentKey,
        until expiry: Instant,
        isAlone: Bool,
        _ note: @escaping @Sendable (Progress) -> Void,
    ) -> Way {
        state.withLock { state in
            let before = isAlone ? nil : state.cached.use(key)
            if let before, before.isFresh(at: time.now) { return .cached(before) }
            if !isAlone, let job = state.running[key], let number = job.join(until: expiry, note) {
                return .joined(job, number: number)
            }
            let job = SharedAttachmentJob(until: expiry)
            guard let number = job.join(until: expiry, note) else { preconditionFailure("a new job is open") }
            if !isAlone { state.running[key] = job }
            return .begun(job, number: number, before: before)
        }
    }

    private func work(
        on job: SharedAttachmentJob,
        _ key: AttachmentKey,
        _ url: String,
        _ before: CachedAttachment?,
    ) async {
        // A revalidation is useful only if the cached file still exists.
        var before = before
        if let cached = before, await renewed(cached) == nil { before = nil }
        await AttachmentJob(
            steps: steps,
            time: time,
            costs: costs,
            crashes: crashes,
            key: key,
            url: url,
            before: before,
            job: job
        )
        .run()
        let cached = CachedAttachment(job, before: before, floor: rule.floor, now: time.now)
        if cached != nil, job.progress.head?.isUnchanged == true { instrument.record(.attachment(.revalidated)) }
        state.withLock { state in
            // Only the work that others could join is cached.
            guard state.forget(job, for: key) else { return }
            if let cached { state.cached.insert(cached, for: key, byteCount: cached.byteCount) }
        }
        job.finish()
    }

    /// Returns the cached content with a new URL; `nil` if its file no longer exists.
    private func renewed(_ cached: CachedAttachment) async -> AttachmentContent? {
        var content = cached.content
        // An output that is not stored yet needs no new URL.
        guard let stored = content.ready?.stored else { return content }
        content.stored = await steps.store.renew(stored)
        return content.stored == nil ? nil : content
    }
}

extension AttachmentCache.State {
    /// Closes `making` for joining. Returns `true` if it was the one to join.
    @discardableResult
    fileprivate mutating func forget(_ job: SharedAttachmentJob, for key: AttachmentKey) -> Bool {
        guard running[key] === job else { return false }
        running[key] = nil
        return true
    }
}

extension SharedAttachmentJob.Progress {
    /// Returns this progress, with the earlier output `best` unless the new one is as good.
    fileprivate func keeping(_ best: AttachmentContent) -> Self {
        guard let ready = best.ready, !content.isComplete else { return self }
        if let newer = content.ready, newer.report.rung.rank >= ready.report.rung.rank { return self }
        var progress = self
        progress.content.ready = ready
        progress.content.source = content.source.format == nil ? best.source : content.source
        return progress
    }
}

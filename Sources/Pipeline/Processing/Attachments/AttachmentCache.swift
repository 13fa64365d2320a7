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
    typealias Progress = AttachmentJob.Progress

    fileprivate struct State {
        var running: [AttachmentKey: AttachmentJob] = [:]
        var begunCount = 0
        var cached = BoundedTable<AttachmentKey, CachedAttachment>(entryLimit: 4096, byteLimit: 268_435_456)
        /// The attachments that were made ready ahead of time, which other work must not displace.
        var prepared = BoundedTable<AttachmentKey, CachedAttachment>(entryLimit: 16_384)
        /// The number of times that something was taken back.
        var forgetCount = 0
    }

    private enum Way {
        case cached(CachedAttachment)
        case joined(AttachmentJob, number: Int)
        case begun(AttachmentJob, number: Int, before: CachedAttachment?)
    }

    private let context: AttachmentJob.Context
    private let rule: ReuseRule
    /// The attachments that other workers made ready; `nil` if there are no others.
    private let index: (any PreparedIndex)?
    private let instrument: any Instrument<ProcessingEvent>
    private let state = Mutex(State())

    init(
        _ context: AttachmentJob.Context,
        rule: ReuseRule,
        index: (any PreparedIndex)? = nil,
        instrument: any Instrument<ProcessingEvent>,
    ) {
        self.context = context
        self.rule = rule
        self.index = index
        self.instrument = instrument
    }

    private var time: any TimeSource { context.time }

    /// Makes the attachment from its source, joins work under way for it, or takes it from the cache.
    /// `onProgress` receives the progress after each event.
    ///
    /// Returns when nothing better will come or the task is cancelled. The caller cancels it at `expiry`.
    func make(
        _ wanted: WantedAttachment,
        until expiry: Instant,
        _ onProgress: @escaping @Sendable (Progress) -> Void,
    ) async {
        let key = wanted.key
        var isAlone = false
        var best = AttachmentContent()
        while !Task.isCancelled {
            let onProgress: @Sendable (Progress) -> Void = { [best] in onProgress($0.keeping(best)) }
            let (job, number): (AttachmentJob, Int)
            switch way(wanted, until: expiry, isAlone: isAlone, onProgress) {
            case .cached(let cached):
                guard let content = await renewed(cached) else {
                    state.withLock { state in
                        state.cached.remove(key)
                        if let prepared = wanted.prepared { state.prepared.remove(prepared) }
                    }
                    continue
                }
                instrument.record(.attachment(.reused))
                return onProgress(Progress(content: content, downloaded: time.now))
            case .joined(let joined, let id):
                instrument.record(.attachment(.joined(work: joined.number)))
                (job, number) = (joined, id)
            case .begun(let begun, let id, let before):
                instrument.record(.attachment(.begun(work: begun.number)))
                begun.start { [self] in await work(on: begun, before, wanted.isPreparation ? nil : wanted.prepared) }
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
            state.prepared.removeAll(where: isForgotten)
            state.forgetCount += 1
            state.running = state.running.filter { !running($0.key) }
        }
    }

    private func way(
        _ wanted: WantedAttachment,
        until expiry: Instant,
        isAlone: Bool,
        _ onProgress: @escaping @Sendable (Progress) -> Void,
    ) -> Way {
        let key = wanted.key
        return state.withLock { state in
            if let key = wanted.prepared, !wanted.isPreparation, let held = state.held(key, at: time.now) {
                return .cached(held)
            }
            let before = isAlone ? nil : state.cached.use(key)
            if let before, before.isFresh(at: time.now) { return .cached(before) }
            if !isAlone, let job = state.running[key], let number = job.join(until: expiry, onProgress) {
                return .joined(job, number: number)
            }
            state.begunCount += 1
            let job = AttachmentJob(wanted, number: state.begunCount, until: expiry, in: context)
            guard let number = job.join(until: expiry, onProgress) else { preconditionFailure("a new job is open") }
            if !isAlone { state.running[key] = job }
            return .begun(job, number: number, before: before)
        }
    }

    /// Keeps an attachment ready until then, whatever its origin says about its lifetime. Returns `false`, and keeps nothing,
    /// if something was taken back since `forgetCount` was read.
    @discardableResult
    func hold(_ attachment: PreparedAttachment, for key: AttachmentKey, unlessForgottenSince forgetCount: Int? = nil)
        -> Bool
    {
        let remaining = attachment.until.sinceEpoch - UnixTime.now.sinceEpoch
        let held = CachedAttachment(attachment.content, until: time.now + remaining)
        return state.withLock { state in
            guard forgetCount ?? state.forgetCount == state.forgetCount else { return false }
            state.prepared.insert(held, for: key)
            return true
        }
    }

    /// The time for which what the fleet's index says is believed: afterwards it may have been taken back there.
    private static let beliefTime: Duration = .seconds(60)

    /// Uses an attachment that another worker made ready ahead of time. Returns `false` if there is none.
    private func useIndex(on job: AttachmentJob, _ key: AttachmentKey) async -> Bool {
        guard let index else { return false }
        let forgetCount = state.withLock(\.forgetCount)
        // The question is asked on the notification's time.
        let patience = max(.zero, job.deadline.latest - time.now) / 10
        guard var found = await index.find(PreparedName(key), within: patience), !Task.isCancelled else { return false }
        found.until = min(found.until, .now + Self.beliefTime)
        guard hold(found, for: key, unlessForgottenSince: forgetCount) else { return false }
        instrument.record(.attachment(.reused))
        job.reuse(found.content)
        state.withLock { _ = $0.forget(job, for: job.key) }
        job.finish()
        return true
    }

    private func work(on job: AttachmentJob, _ before: CachedAttachment?, _ prepared: AttachmentKey?) async {
        if let prepared, await useIndex(on: job, prepared) { return }
        // A revalidation is useful only if the cached file still exists.
        var before = before
        if let cached = before, await renewed(cached) == nil { before = nil }
        await job.run(unlessUnchangedSince: before)
        let cached = CachedAttachment(job, before: before, floor: rule.floor, now: time.now)
        if cached != nil, job.progress.head?.isUnchanged == true { instrument.record(.attachment(.revalidated)) }
        state.withLock { state in
            // Only the work that others could join is cached.
            guard state.forget(job, for: job.key) else { return }
            if let cached { state.cached.insert(cached, for: job.key, byteCount: cached.byteCount) }
        }
        job.finish()
    }

    /// Returns the cached content with a new URL; `nil` if its file no longer exists.
    private func renewed(_ cached: CachedAttachment) async -> AttachmentContent? {
        var content = cached.content
        // An output that is not stored yet needs no new URL.
        guard let stored = content.ready?.stored else { return content }
        content.stored = await context.steps.store.renew(stored)
        return content.stored == nil ? nil : content
    }
}

extension AttachmentCache.State {
    /// Returns the attachment that was made ready ahead of time, if it still is.
    fileprivate mutating func held(_ key: AttachmentKey, at now: Instant) -> CachedAttachment? {
        guard let held = prepared.use(key) else { return nil }
        guard held.isFresh(at: now) else {
            prepared.remove(key)
            return nil
        }
        return held
    }

    /// Closes `job` for joining. Returns `true` if it was the one to join.
    @discardableResult
    fileprivate mutating func forget(_ job: AttachmentJob, for key: AttachmentKey) -> Bool {
        guard running[key] === job else { return false }
        running[key] = nil
        return true
    }
}

extension AttachmentJob.Progress {
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

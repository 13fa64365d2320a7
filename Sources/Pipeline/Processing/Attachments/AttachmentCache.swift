import Base
import Media
import Synchronization

/// A cache of attachments that also coalesces requests: identical work in progress is joined, and finished work is used
/// again for as long as the origin allows.
///
/// Work is identical if its keys are equal. Answers that the origin restricts to one client are neither joined nor
/// cached. The cache does not survive a restart.
final class AttachmentCache: Sendable {
    typealias Progress = AttachmentJob.Progress

    fileprivate struct State {
        var running: [AttachmentKey: AttachmentJob] = [:]
        var begunCount = 0
        var cached = BoundedTable<AttachmentKey, Entry>(entryLimit: 4096, byteLimit: 268_435_456)
        /// The attachments that were made ready ahead of time, which other work must not displace.
        var prepared = BoundedTable<AttachmentKey, Entry>(entryLimit: 16_384)
        /// The number of times that something was taken back.
        var forgetCount = 0
    }

    private enum Way {
        case cached(Entry)
        case joined(AttachmentJob, number: Int)
        case begun(AttachmentJob, number: Int, before: Entry?)
    }

    private let context: AttachmentJob.Context
    private let rule: ReuseRule
    /// The attachments that other workers made ready; `nil` if there are no others.
    private let index: (any PreparedIndex)?
    private let recorder: any EventRecorder<ProcessingEvent>
    /// Returns whether what was made before may be used now. If not, each notification makes its attachments anew.
    private let mayReuse: @Sendable () -> Bool
    private let state = Mutex(State())

    init(
        _ context: AttachmentJob.Context,
        rule: ReuseRule,
        index: (any PreparedIndex)? = nil,
        recorder: any EventRecorder<ProcessingEvent>,
        mayReuse: @escaping @Sendable () -> Bool = { true },
    ) {
        self.mayReuse = mayReuse
        self.context = context
        self.rule = rule
        self.index = index
        self.recorder = recorder
    }

    private var time: any TimeSource { context.time }

    /// Makes the attachment from its source, joins work in progress for it, or takes it from the cache.
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
        var best = ReadyAttachment()
        while !Task.isCancelled {
            let onProgress: @Sendable (Progress) -> Void = { [best] in onProgress($0.keeping(best)) }
            let (job, number): (AttachmentJob, Int)
            switch way(wanted, until: expiry, isAlone: isAlone, onProgress) {
            case .cached(let cached):
                guard let attachment = await renewed(cached) else {
                    guard !Task.isCancelled else { return }
                    state.withLock { state in
                        state.cached.remove(key)
                        if let prepared = wanted.prepared { state.prepared.remove(prepared) }
                    }
                    continue
                }
                recorder.record(.attachment(.reused))
                return onProgress(Progress(attachment: attachment, downloaded: time.now))
            case .joined(let joined, let id):
                recorder.record(.attachment(.joined(work: joined.number)))
                (job, number) = (joined, id)
            case .begun(let begun, let id, let before):
                recorder.record(.attachment(.begun(work: begun.number)))
                begun.start { [self] in await work(on: begun, before, wanted.isPreparation ? nil : wanted.prepared) }
                (job, number) = (begun, id)
            }
            switch await job.ending(for: number) {
            case .over: return
            case .again: best = job.progress.attachment
            case .apart: isAlone = true
            case .left:
                return state.withLock { if !job.isOpen { $0.forget(job, for: key) } }
            }
        }
    }

    /// Drops matching cached attachments, and lets no notification join matching work in progress.
    func forget(
        _ isForgotten: @Sendable (AttachmentKey, Entry) -> Bool,
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
        let (key, mayReuse) = (wanted.key, mayReuse())
        return state.withLock { state in
            if mayReuse, let key = wanted.prepared, !wanted.isPreparation, let held = state.held(key, at: time.now) {
                return .cached(held)
            }
            let before = isAlone || !mayReuse ? nil : state.cached.use(key)
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
        let held = Entry(attachment.ready, until: time.now + remaining)
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
        let timeout = max(.zero, job.deadline.latest - time.now) / 10
        guard var found = await index.find(PreparedName(key), within: timeout), !Task.isCancelled else { return false }
        found.until = min(found.until, .now + Self.beliefTime)
        guard hold(found, for: key, unlessForgottenSince: forgetCount) else { return false }
        recorder.record(.attachment(.reused))
        job.reuse(found.ready)
        state.withLock { _ = $0.forget(job, for: job.key) }
        job.finish()
        return true
    }

    private func work(on job: AttachmentJob, _ before: Entry?, _ prepared: AttachmentKey?) async {
        if let prepared, mayReuse(), await useIndex(on: job, prepared) { return }
        // A revalidation is useful only if the cached file still exists.
        var before = before
        if let cached = before, await renewed(cached) == nil { before = nil }
        await job.run(unlessUnchangedSince: before)
        let cached = Entry(job, before: before, floor: rule.floor, now: time.now)
        if cached != nil, job.progress.head?.isUnchanged == true { recorder.record(.attachment(.revalidated)) }
        state.withLock { state in
            // Only the work that others could join is cached.
            guard state.forget(job, for: job.key) else { return }
            if let cached { state.cached.insert(cached, for: job.key, byteCount: cached.byteCount) }
        }
        job.finish()
    }

    /// Returns the cached attachment with a new URL; `nil` if its file no longer exists.
    private func renewed(_ cached: Entry) async -> ReadyAttachment? {
        var attachment = cached.attachment
        // An output that is not stored yet needs no new URL.
        guard let stored = attachment.rung?.stored else { return attachment }
        attachment.stored = await context.steps.store.renew(stored)
        return attachment.stored == nil ? nil : attachment
    }
}

extension AttachmentCache.State {
    /// Returns the attachment that was made ready ahead of time, if it still is.
    fileprivate mutating func held(_ key: AttachmentKey, at now: Instant) -> AttachmentCache.Entry? {
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
    fileprivate func keeping(_ best: ReadyAttachment) -> Self {
        guard let rung = best.rung, !attachment.isComplete else { return self }
        if let newer = attachment.rung, newer.report.rung.rank >= rung.report.rung.rank { return self }
        var progress = self
        progress.attachment.rung = rung
        if attachment.source.format == nil { progress.attachment.source = best.source }
        return progress
    }
}

// MARK: - What is cached, and for how long

extension AttachmentCache {
    /// An entry of the cache: an attachment, and the time for which notifications may use it without asking the origin.
    final class Entry: Sendable {
        /// The attachment, with no downloaded bytes counted.
        let attachment: ReadyAttachment
        private let freshness: SourceFreshness
        private let freshUntil: Instant
        /// The validators that tell the origin which version of the source this is; `nil` if it cannot be revalidated.
        let validators: SourceValidators?

        /// The longest time for which a failure is cached: long enough that a campaign does not ask for each notification,
        /// and short enough that the sender can replace the source.
        private static let longestFailure: Duration = .seconds(5)

        /// Returns `nil` if the attachment cannot be cached: the result may differ next time, the origin's answer is for
        /// one client only, or it is stale at once and cannot be revalidated.
        ///
        /// `before` is the entry that the work began with. `floor` is the lifetime of a source whose origin does not give
        /// one.
        init?(_ job: AttachmentJob, before: Entry?, floor: Duration, now: Instant) {
            let progress = job.progress
            guard floor > .zero, let head = progress.head, head.freshness.isShareable,
                progress.attachment.isComplete || job.deadline.lastCutback == nil
            else { return nil }
            switch (head.status, before) {
            case (304, let before?):
                attachment = before.attachment
                freshness = head.freshness.freshening(before.freshness)
                validators = head.validators ?? before.validators
            case (200, _), (206, _), (404, _), (410, _):
                var attachment = progress.attachment
                attachment.source.fetched = 0
                self.attachment = attachment
                freshness = head.freshness
                validators = attachment.failure == nil ? head.validators : nil
            default: return nil
            }
            guard attachment.rung != nil || attachment.failure?.isLasting == true else { return nil }
            var end = freshness.end(floor: floor) ?? now
            if let failure = attachment.failure {
                guard failure.isLasting else { return nil }
                end = min(end, now + Self.longestFailure)
            }
            freshUntil = end
            guard end > now || validators != nil else { return nil }
        }

        /// Creates an entry that is fresh until then, and is never revalidated.
        init(_ attachment: ReadyAttachment, until end: Instant) {
            self.attachment = attachment
            freshness = SourceFreshness(answers: [])
            freshUntil = end
            validators = nil
        }

        func isFresh(at now: Instant) -> Bool { now < freshUntil }

        /// The size of the file, in bytes.
        var byteCount: Int { attachment.rung?.report.byteCount ?? 0 }
    }
}

extension AttachmentFailure {
    /// A Boolean value that indicates whether the source would fail again. Of the HTTP statuses, this holds only for
    /// those that say that the source does not exist.
    fileprivate var isLasting: Bool {
        switch reason {
        case .httpStatus, .empty, .tooLarge, .unrecognizedFormat, .unsupportedFormat, .corrupt, .tooManyPixels: true
        default: false
        }
    }
}

/// The rules for sharing work between notifications.
package struct ReuseRule: Sendable {
    /// The lifetime of a source whose origin does not give one. With 0, no source is used again, whatever its origin
    /// says.
    package var floor: Duration
    /// The rules for which URLs lead to the same source. The first rule that matches a URL counts.
    package var sources: [SourceRule]

    package init(floor: Duration = .seconds(60), sources: [SourceRule] = []) {
        self.floor = floor
        self.sources = sources
    }
}

// MARK: - Sources that were taken back

/// The sources that were removed recently. Work that was under way for them at that time is not delivered.
final class ForgottenSources: Sendable {
    /// A point in time between two calls of `forget`.
    struct Moment: Sendable {
        fileprivate var number: Int
    }

    private struct State {
        var count = 0
        var last = BoundedTable<String, (number: Int, end: Instant)>()
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    init(time: any TimeSource) { self.time = time }

    var moment: Moment { state.withLock { Moment(number: $0.count) } }

    func forget(_ source: String) {
        let now = time.now
        state.withLock { state in
            // Drops entries that are older than the longest possible notification.
            state.last.removeOldest { $1.end <= now }
            state.count += 1
            state.last.insert((state.count, now + NotificationService.longestTimeLimit * 2), for: source)
        }
    }

    /// A Boolean value that indicates whether the source was forgotten after `moment`.
    func contains(_ source: String, since moment: Moment) -> Bool {
        state.withLock { $0.last[source].map { $0.number > moment.number } ?? false }
    }
}

import Media
import ServiceExtension
import Synchronization
import Timing

/// A cache of attachments that also coalesces requests: identical work under way is joined, and finished work is used
/// again for as long as the origin allows.
///
/// Work is identical if its keys are equal. Answers that the origin restricts to one client are neither joined nor
/// cached. The cache does not survive a restart.
final class Makings: Sendable {
    typealias Progress = AttachmentMaking.Progress

    fileprivate struct State {
        var running: [AttachmentOrder: AttachmentMaking] = [:]
        var made = ReuseTable<AttachmentOrder, MadeAttachment>(entryLimit: 4096, byteLimit: 268_435_456)
    }

    private enum Way {
        case made(MadeAttachment)
        case joined(AttachmentMaking, number: Int)
        case begun(AttachmentMaking, number: Int, before: MadeAttachment?)
    }

    private let steps: AttachmentPipeline.Steps
    private let time: any TimeSource
    private let rule: ReuseRule
    private let observe: @Sendable (AttachmentEvent) -> Void
    private let costs: CostModel
    private let crashes = CrashMemory()
    private let state = Mutex(State())

    init(
        steps: AttachmentPipeline.Steps,
        time: any TimeSource,
        rule: ReuseRule,
        costs: CostModel,
        observe: @escaping @Sendable (AttachmentEvent) -> Void,
    ) {
        self.steps = steps
        self.time = time
        self.rule = rule
        self.costs = costs
        self.observe = observe
    }

    /// Makes the attachment from the source at `url`, joins work under way for it, or takes it from the cache. `note`
    /// receives all progress.
    ///
    /// Returns when nothing better will come or the task is cancelled. The caller cancels it at `expiry`.
    func make(
        _ order: AttachmentOrder,
        from url: String,
        until expiry: Instant,
        _ note: @escaping @Sendable (Progress) -> Void,
    ) async {
        var isAlone = false
        var best = AttachmentContent()
        while !Task.isCancelled {
            let note: @Sendable (Progress) -> Void = { [best] in note($0.keeping(best)) }
            let (making, number): (AttachmentMaking, Int)
            switch way(order, until: expiry, isAlone: isAlone, note) {
            case .made(let made):
                guard let content = await renewed(made) else {
                    state.withLock { $0.made.remove(order) }
                    continue
                }
                observe(.reused)
                return note(Progress(content: content, downloaded: time.now))
            case .joined(let joined, let id):
                observe(.joined)
                (making, number) = (joined, id)
            case .begun(let begun, let id, let before):
                observe(.begun)
                begun.start { [self] in await work(on: begun, order, url, before) }
                (making, number) = (begun, id)
            }
            switch await making.ending(for: number) {
            case .over: return
            case .again: best = making.progress.content
            case .apart: isAlone = true
            case .left:
                return state.withLock { if !making.isOpen { $0.forget(making, for: order) } }
            }
        }
    }

    /// Drops matching cached attachments, and lets nobody join matching work under way.
    func forget(
        _ isForgotten: @Sendable (AttachmentOrder, MadeAttachment) -> Bool,
        running: @Sendable (AttachmentOrder) -> Bool,
    ) {
        state.withLock { state in
            state.made.removeAll(where: isForgotten)
            state.running = state.running.filter { !running($0.key) }
        }
    }

    private func way(
        _ order: AttachmentOrder,
        until expiry: Instant,
        isAlone: Bool,
        _ note: @escaping @Sendable (Progress) -> Void,
    ) -> Way {
        state.withLock { state in
            let before = isAlone ? nil : state.made.use(order)
            if let before, before.isFresh(at: time.now) { return .made(before) }
            if !isAlone, let making = state.running[order], let number = making.join(until: expiry, note) {
                return .joined(making, number: number)
            }
            let making = AttachmentMaking(until: expiry)
            guard let number = making.join(until: expiry, note) else { preconditionFailure("a new making is open") }
            if !isAlone { state.running[order] = making }
            return .begun(making, number: number, before: before)
        }
    }

    private func work(
        on making: AttachmentMaking,
        _ order: AttachmentOrder,
        _ url: String,
        _ before: MadeAttachment?,
    ) async {
        // A revalidation is useful only if the cached file still exists.
        var before = before
        if let made = before, await renewed(made) == nil { before = nil }
        await AttachmentWork(
            steps: steps,
            time: time,
            costs: costs,
            crashes: crashes,
            order: order,
            url: url,
            before: before,
            making: making
        )
        .run()
        let made = MadeAttachment(making, before: before, floor: rule.floor, now: time.now)
        if made != nil, making.progress.head?.isUnchanged == true { observe(.revalidated) }
        state.withLock { state in
            // Only the work that others could join is cached.
            guard state.forget(making, for: order) else { return }
            if let made { state.made.insert(made, for: order, byteCount: made.byteCount) }
        }
        making.finish()
    }

    /// Returns the cached content with a new URL; `nil` if its file no longer exists.
    private func renewed(_ made: MadeAttachment) async -> AttachmentContent? {
        var content = made.content
        // An output that is not stored yet needs no new URL.
        guard let stored = content.ready?.stored else { return content }
        content.stored = await steps.store.renew(stored)
        return content.stored == nil ? nil : content
    }
}

extension Makings.State {
    /// Closes `making` for joining. Returns `true` if it was the one to join.
    @discardableResult
    fileprivate mutating func forget(_ making: AttachmentMaking, for order: AttachmentOrder) -> Bool {
        guard running[order] === making else { return false }
        running[order] = nil
        return true
    }
}

extension AttachmentMaking.Progress {
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

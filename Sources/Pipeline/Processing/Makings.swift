import Media
import ServiceExtension
import Synchronization
import Timing

/// What is being made, and what was made: identical work in flight is joined, and finished work is used again for as long
/// as the origin allows.
///
/// Work is identical if its orders are equal. What an origin keeps for the one who asked is neither joined nor used again,
/// and neither is anything after a restart.
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

    /// Makes what is ordered of the source at `url`, or has it from others, and tells all progress to `note`. Returns when
    /// nothing better will come, or the task is cancelled, which it is to be at `expiry`.
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

    /// Drops what was made, and lets nobody join what is being made.
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
        // Once the origin says that the source is the same, the file has to be there.
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
            // Only one at a time is for all.
            guard state.forget(making, for: order) else { return }
            if let made { state.made.insert(made, for: order, byteCount: made.byteCount) }
        }
        making.finish()
    }

    /// What was made, with a URL of its own; `nil` if its file has gone.
    private func renewed(_ made: MadeAttachment) async -> AttachmentContent? {
        var content = made.content
        // What is only about to be stored is there.
        guard let stored = content.ready?.stored else { return content }
        content.stored = await steps.store.renew(stored)
        return content.stored == nil ? nil : content
    }
}

extension Makings.State {
    /// Whether that one was the one to join.
    @discardableResult
    fileprivate mutating func forget(_ making: AttachmentMaking, for order: AttachmentOrder) -> Bool {
        guard running[order] === making else { return false }
        running[order] = nil
        return true
    }
}

extension AttachmentMaking.Progress {
    /// This progress, but with what was ready before as long as it isn't better.
    fileprivate func keeping(_ best: AttachmentContent) -> Self {
        guard let ready = best.ready, !content.isComplete else { return self }
        if let newer = content.ready, newer.report.rung.rank >= ready.report.rung.rank { return self }
        var progress = self
        progress.content.ready = ready
        progress.content.source = content.source.format == nil ? best.source : content.source
        return progress
    }
}

import Base
import Media
import Synchronization

/// The works of a pipeline by their keys: notifications that want the same attachment share one, and what is finished is used
/// again for as long as its origin allows.
///
/// Answers that the origin restricts to one client are neither shared nor kept. The cache does not survive a restart.
final class AttachmentCache: Sendable {
    private struct State {
        var running: [AttachmentKey: AttachmentWorkRunner] = [:]
        var begunCount = 0
        var kept = BoundedTable<AttachmentKey, AttachmentWorkRunner>(entryLimit: 4096, byteLimit: 268_435_456)
        /// The attachments that were made ready ahead of time, which other work must not displace.
        var prepared = BoundedTable<AttachmentKey, AttachmentWorkRunner>(entryLimit: 16_384)
        /// The number of times that something was taken back.
        var forgetCount = 0
    }

    private let context: AttachmentSteps.Context
    /// The attachments that other workers made ready; `nil` if there are no others.
    private let index: (any PreparedIndex)?
    private let state = Mutex(State())

    init(_ context: AttachmentSteps.Context, index: (any PreparedIndex)? = nil) {
        self.context = context
        self.index = index
    }

    private var time: any TimeSource { context.time }

    /// An attempt at an attachment, and its caller, which has the output stored.
    typealias Attempt = (attachment: ReadyAttachment, caller: AttachmentCaller)

    /// Returns the best attempt at the attachment that is there at `expiry` or when the task is cancelled, and at once when
    /// nothing better will come: made from its source, by work in progress, or before.
    func attempt(
        _ wanted: WantedAttachment,
        until expiry: Instant,
        isTakenBack: @escaping @Sendable () -> Bool,
    ) async -> Attempt {
        // Asked again after each wait, and while no lock is held.
        func join() -> Join {
            let mayReuse = context.mayReuse()
            return { $0.join(wanted, until: expiry, isTakenBack: isTakenBack, mayReuse: mayReuse) }
        }
        if let held = held(wanted), let caller = join()(held) {
            held.carryOut()
            if case .attempt(let attachment) = await caller.answered() { return (attachment, caller) }
            state.withLock { if let key = wanted.prepared, $0.prepared[key] === held { $0.prepared.remove(key) } }
        }
        let caller = self.caller(for: wanted, join())
        if case .attempt(let attachment) = await caller.answered() { return (attachment, caller) }
        let own = self.caller(for: wanted, isAlone: true, join())
        guard case .attempt(let attachment) = await own.answered() else { preconditionFailure("it has one caller") }
        return (attachment, own)
    }

    private typealias Join = (AttachmentWorkRunner) -> AttachmentCaller?

    /// Joins the work on an attachment, or begins it. `isAlone` begins work that no other notification shares.
    private func caller(for wanted: WantedAttachment, isAlone: Bool = false, _ join: Join) -> AttachmentCaller {
        let key = wanted.key
        let (runner, caller) = state.withLock { state -> (AttachmentWorkRunner, AttachmentCaller) in
            if !isAlone, let runner = state.running[key] ?? state.kept.use(key), let caller = join(runner) {
                return (runner, caller)
            }
            state.begunCount += 1
            let work = AttachmentWork(number: state.begunCount)
            let runner = AttachmentWorkRunner(work, for: key, in: context, cache: self)
            guard let caller = join(runner) else { preconditionFailure("new work takes callers") }
            if !isAlone { state.running[key] = runner }
            return (runner, caller)
        }
        runner.carryOut()
        return caller
    }

    /// Keeps the work with what it made, or drops it. Only work that others can find is kept.
    func replace(_ runner: AttachmentWorkRunner, _ kept: KeptAttachment?, for key: AttachmentKey) {
        state.withLock { state in
            guard state.running[key] === runner || state.kept[key] === runner else { return }
            if state.running[key] === runner { state.running[key] = nil }
            if let kept {
                state.kept.insert(runner, for: key, byteCount: kept.byteCount)
            } else if state.kept[key] === runner {
                state.kept.remove(key)
            }
        }
    }

    // MARK: - Attachments that were made ahead of time

    /// Returns what was made ahead of time for the attachment, if it may be used.
    private func held(_ wanted: WantedAttachment) -> AttachmentWorkRunner? {
        guard let key = wanted.prepared, !wanted.isPreparation, context.mayReuse() else { return nil }
        return state.withLock { state in
            guard let held = state.prepared.use(key) else { return nil }
            if held.kept?.isFresh(at: time.now) == true { return held }
            state.prepared.remove(key)
            return nil
        }
    }

    /// Keeps an attachment ready until then, whatever its origin says about its lifetime. Returns `false`, and keeps nothing,
    /// if something was taken back since `forgetCount` was read.
    @discardableResult
    func hold(_ attachment: PreparedAttachment, for key: AttachmentKey, unlessForgottenSince forgetCount: Int? = nil)
        -> Bool
    {
        let remaining = attachment.until.sinceEpoch - UnixTime.now.sinceEpoch
        let work = AttachmentWork(prepared: attachment, until: time.now + remaining)
        let held = AttachmentWorkRunner(work, in: context, cache: self)
        return state.withLock { state in
            guard forgetCount ?? state.forgetCount == state.forgetCount else { return false }
            state.prepared.insert(held, for: key)
            return true
        }
    }

    /// The time for which what the fleet's index says is believed: afterwards it may have been taken back there.
    private static let beliefTime: Duration = .seconds(60)

    /// Returns the attachment if another worker made it ready ahead of time.
    func find(_ wanted: WantedAttachment, until expiry: Instant) async -> PreparedAttachment? {
        guard let index, let key = wanted.prepared, !wanted.isPreparation, context.mayReuse() else { return nil }
        let forgetCount = state.withLock(\.forgetCount)
        // The question is asked on the notification's time.
        let timeout = max(.zero, expiry - time.now) / 10
        guard let name = PreparedName(key), var found = await index.find(name, within: timeout), !Task.isCancelled
        else { return nil }
        found.until = min(found.until, .now + Self.beliefTime)
        return hold(found, for: key, unlessForgottenSince: forgetCount) ? found : nil
    }

    // MARK: - Sources and files that are taken back

    /// Drops what was made from matching sources, and lets no notification join work on them.
    func forget(where isForgotten: @Sendable (AttachmentKey) -> Bool) {
        state.withLock { state in
            state.kept.removeAll { key, _ in isForgotten(key) }
            state.prepared.removeAll { key, _ in isForgotten(key) }
            state.running = state.running.filter { !isForgotten($0.key) }
            state.forgetCount += 1
        }
    }

    /// Drops what has the file with that name.
    func forget(file name: String) {
        state.withLock { state in
            state.kept.removeAll { $1.keptFile?.identifier == name }
            state.prepared.removeAll { $1.keptFile?.identifier == name }
            state.forgetCount += 1
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

    /// Returns whether the source was forgotten after `moment`. `source` is asked only if any was.
    func contains(_ source: @autoclosure () -> String, since moment: Moment) -> Bool {
        guard state.withLock({ $0.count > moment.number }) else { return false }
        let source = source()
        return state.withLock { $0.last[source].map { $0.number > moment.number } ?? false }
    }
}

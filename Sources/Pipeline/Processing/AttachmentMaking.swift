import Media
import ServiceExtension
import Synchronization
import Timing

/// One attachment's download and decoding, and all who wait for it, each until a time of its own.
///
/// It goes on until the latest of their times, and is cancelled when the last of them has left.
final class AttachmentMaking: Sendable {
    /// How far it has come.
    struct Progress: Sendable {
        var content = AttachmentContent()
        /// When the last bytes of the source came, once all are there that are needed.
        var downloaded: Instant?
        /// What the answers so far say of the source.
        var head: SourceHead?
    }

    /// How it comes out for one of those who wait.
    enum Ending: Sendable {
        /// Nothing better will come.
        case over
        /// Its source is for one only: this one makes the attachment by itself.
        case apart
        /// Something was left out for want of time that this one still has.
        case again
        /// It left.
        case left
    }

    private struct Waiter {
        var expiry: Instant
        var note: @Sendable (Progress) -> Void
        var ending: Ending?
        var wake: CheckedContinuation<Ending, Never>?
    }

    private struct State {
        var progress = Progress()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// Whether more may join.
        var isOpen = true
        var task: Task<Void, Never>?
        /// What is done for those who wait less than others, and for whom it is being done.
        var rescue: (@Sendable (Instant) async -> Void)?
        var rescuer: Task<Void, Never>?
        var rescued: Instant?
    }

    let deadline: MovingDeadline
    private let state = Mutex(State())

    /// `expiry` is that of the first who waits.
    init(until expiry: Instant) { deadline = MovingDeadline(expiry) }

    var progress: Progress { state.withLock(\.progress) }
    var isOpen: Bool { state.withLock(\.isOpen) }

    // MARK: - Those who wait

    /// A number for one more who waits, and who is told by `note` of all progress, what there is already first. `nil` if
    /// it would be no good to it.
    func join(until expiry: Instant, _ note: @escaping @Sendable (Progress) -> Void) -> Int? {
        state.withLock { state in
            // What was left out for want of time will be missing.
            guard state.isOpen, deadline.lastCutback ?? expiry >= expiry else { return nil }
            let id = state.nextWaiter
            state.nextWaiter += 1
            let waiter = Waiter(expiry: expiry, note: note)
            state.waiters[id] = waiter
            Self.tell(waiter, id, state.progress)
            moveDeadline(&state)
            return id
        }
    }

    /// Returns when it has come out for the one with that number, which leaves when its task is cancelled.
    func ending(for id: Int) async -> Ending {
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let ending: Ending? = state.withLock { state in
                    if let ending = state.waiters[id]?.ending {
                        state.waiters[id] = nil
                        return ending
                    }
                    guard state.waiters[id] != nil else { return .left }
                    state.waiters[id]?.wake = wake
                    return nil
                }
                if let ending { wake.resume(returning: ending) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let (wake, abandoned) = state.withLock { state -> (CheckedContinuation<Ending, Never>?, Task<Void, Never>?) in
            guard let waiter = state.waiters.removeValue(forKey: id), waiter.ending == nil else { return (nil, nil) }
            guard state.waiters.values.allSatisfy({ $0.ending != nil }) else {
                moveDeadline(&state)
                return (waiter.wake, nil)
            }
            state.isOpen = false
            state.rescuer?.cancel()
            return (waiter.wake, state.task)
        }
        wake?.resume(returning: .left)
        abandoned?.cancel()
    }

    private func moveDeadline(_ state: inout State) {
        let expiries = state.waiters.values.filter { $0.ending == nil }.map(\.expiry)
        guard let soonest = expiries.min(), let latest = expiries.max() else { return }
        deadline.move(soonest: soonest, latest: latest)
        rescue(&state)
    }

    /// The work goes on for those who wait longest. Something is to be there for the others, too.
    private func rescue(_ state: inout State) {
        let hasty = deadline.soonest < deadline.latest ? deadline.soonest : nil
        guard let rescue = state.rescue, state.rescued != hasty else { return }
        state.rescuer?.cancel()
        state.rescued = hasty
        state.rescuer = hasty.map { hasty in Task { await rescue(hasty) } }
    }

    // MARK: - The work

    /// Begins the work; called once.
    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task { await work() }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.waiters.isEmpty && !state.isOpen
        }
        if isAbandoned { task.cancel() }
    }

    /// Has `rescue` called with the time of those who wait least, as long as others wait longer. It is cancelled when
    /// they have left.
    func onHaste(_ rescue: @escaping @Sendable (Instant) async -> Void) {
        state.withLock { state in
            state.rescue = rescue
            self.rescue(&state)
        }
    }

    /// Changes what all who wait have.
    func update(_ change: (inout AttachmentContent) -> Void) {
        state.withLock { state in
            change(&state.progress.content)
            Self.tellAll(state)
        }
    }

    /// All of the source that is needed is there, since `instant`.
    func noteDownloaded(at instant: Instant?) {
        state.withLock { state in
            state.progress.downloaded = instant
            Self.tellAll(state)
        }
    }

    /// Takes note of an answer. If that isn't for everybody, the first who waits keeps it, and the others go.
    func note(_ head: SourceHead) {
        let leaving = state.withLock { state in
            state.progress.head = head
            guard !head.freshness.isShareable else { return [CheckedContinuation<Ending, Never>]() }
            state.isOpen = false
            guard let first = state.waiters.keys.min() else { return [] }
            let others = state.waiters.keys.filter { $0 != first }
            for id in others { state.waiters[id]?.note(Progress()) }
            return Self.end(others.map { ($0, .apart) }, &state)
        }
        for wake in leaving { wake.resume(returning: .apart) }
    }

    /// The work is done: nothing better will come of it.
    func finish() {
        let (over, again) = state.withLock { state in
            state.isOpen = false
            state.rescue = nil
            state.rescuer?.cancel()
            let lastCutback = state.progress.content.isComplete ? nil : deadline.lastCutback
            let waiters = state.waiters.map { ($0.key, ($0.value.expiry > lastCutback ?? $0.value.expiry)) }
            return (
                Self.end(waiters.filter { !$0.1 }.map { ($0.0, .over) }, &state),
                Self.end(waiters.filter(\.1).map { ($0.0, .again) }, &state)
            )
        }
        for wake in over { wake.resume(returning: .over) }
        for wake in again { wake.resume(returning: .again) }
    }

    /// Those who are to be woken. Who doesn't wait yet finds its ending when it comes to it.
    private static func end(
        _ endings: [(id: Int, Ending)],
        _ state: inout State,
    ) -> [CheckedContinuation<Ending, Never>] {
        endings.compactMap { id, ending in
            guard let waiter = state.waiters[id], waiter.ending == nil else { return nil }
            guard let wake = waiter.wake else {
                state.waiters[id]?.ending = ending
                return nil
            }
            state.waiters[id] = nil
            return wake
        }
    }

    private static func tellAll(_ state: borrowing State) {
        for (id, waiter) in state.waiters where waiter.ending == nil { tell(waiter, id, state.progress) }
    }

    /// The bytes were fetched for the first one.
    private static func tell(_ waiter: Waiter, _ id: Int, _ progress: Progress) {
        var progress = progress
        if id > 0 { progress.content.source.fetched = 0 }
        waiter.note(progress)
    }
}

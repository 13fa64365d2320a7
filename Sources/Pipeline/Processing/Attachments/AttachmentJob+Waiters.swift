import Base
import Media
import Synchronization

// The notifications that wait for an attachment's job, and the progress that they share.

extension AttachmentJob {
    /// The progress of the work so far.
    struct Progress: Sendable {
        var attachment = ReadyAttachment()
        /// The time at which the last needed bytes of the source arrived; `nil` until then.
        var downloaded: Instant?
        /// The time at which the first decoder process began; `nil` until then.
        var decoding: Instant?
        /// The head of the origin's latest answer.
        var head: SourceHead?
    }

    /// The outcome for one waiter.
    enum Ending: Sendable {
        /// The work is done: nothing better will come.
        case over
        /// The origin's answer is for one client only. The waiter must process the attachment on its own.
        case apart
        /// The work was cut back to meet an earlier deadline. The waiter still has time to start again.
        case again
        /// The waiter left before the end.
        case left
    }

    struct Participant {
        var expiry: Instant
        var onProgress: @Sendable (Progress) -> Void
        /// The slot of its notification, which is lent while the source is missing.
        var slot: WorkSlot?
        var isWaiting = false
        var ending: Ending?
        var waiter: Waiter<Ending>?
    }

    struct State {
        var progress = Progress()
        var participants: [Int: Participant] = [:]
        var nextWaiter = 0
        /// A Boolean value that indicates whether further waiters may join.
        var isOpen = true
        /// A Boolean value that indicates whether the origin does not have the source yet.
        var isMissing = false
        var task: Task<Void, Never>?
        /// The function that makes an early result, its task, and the deadline that the task is for.
        var makeEarlyResult: (@Sendable (Instant) async -> Void)?
        var earlyResult: Task<Void, Never>?
        var earlyDeadline: Instant?
    }

    var progress: Progress { state.withLock(\.progress) }
    var isOpen: Bool { state.withLock(\.isOpen) }

    // MARK: - Waiters

    /// Adds a waiter and returns its number. `onProgress` receives the progress so far and after every later event.
    ///
    /// Returns `nil` if the result would be of no use to the waiter.
    func join(until expiry: Instant, _ onProgress: @escaping @Sendable (Progress) -> Void) -> Int? {
        state.withLock { state in
            // A waiter with more time than the last cutback would miss what was left out.
            guard state.isOpen, deadline.lastCutback ?? expiry >= expiry else { return nil }
            let id = state.nextWaiter
            state.nextWaiter += 1
            let participant = Participant(expiry: expiry, onProgress: onProgress, slot: WorkSlot.current)
            state.participants[id] = participant
            Self.report(state.progress, to: participant, id)
            _ = Self.lendSlots(&state)
            moveDeadline(&state)
            return id
        }
    }

    /// Waits for the outcome of the waiter with that number. Cancelling the task makes the waiter leave.
    func ending(for id: Int) async -> Ending {
        await withWaiter { waiter in
            state.withLock { state -> Ending? in
                if let ending = state.participants[id]?.ending {
                    state.participants[id] = nil
                    return Task.isCancelled ? .left : ending
                }
                guard state.participants[id] != nil else { return .left }
                state.participants[id]?.waiter = waiter
                return nil
            }
        } onCancel: { _ in
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter<Ending>?, Task<Void, Never>?) in
            guard let participant = state.participants.removeValue(forKey: id) else { return (nil, nil) }
            if participant.isWaiting { participant.slot?.goOn() }
            guard participant.ending == nil else { return (nil, nil) }
            return (participant.waiter, closeIfAbandoned(&state))
        }
        waiter?.resume(returning: .left)
        abandoned?.cancel()
    }

    /// Returns the task of the work if nobody waits for it any more, and closes it.
    private func closeIfAbandoned(_ state: inout State) -> Task<Void, Never>? {
        guard state.participants.values.allSatisfy({ $0.ending != nil }) else {
            moveDeadline(&state)
            return nil
        }
        state.isOpen = false
        state.earlyResult?.cancel()
        return state.task
    }

    /// Lends the slots of the waiters while the source is missing, and takes them back when it is there. Those that may not
    /// wait have their outcome: the source is missing. Returns the continuations to resume.
    private static func lendSlots(_ state: inout State) -> [Waiter<Ending>] {
        var refused: [Int] = []
        for (id, participant) in state.participants
        where participant.ending == nil && participant.isWaiting != state.isMissing {
            if !state.isMissing {
                participant.slot?.goOn()
            } else if participant.slot?.wait() == false {
                refused.append(id)
                continue
            }
            state.participants[id]?.isWaiting = state.isMissing
        }
        return end(refused.map { ($0, .over) }, &state)
    }

    private func moveDeadline(_ state: inout State) {
        let expiries = state.participants.values.filter { $0.ending == nil }.map(\.expiry)
        guard let soonest = expiries.min(), let latest = expiries.max() else { return }
        deadline.move(soonest: soonest, latest: latest)
        makeEarlyResult(&state)
    }

    /// Starts an early result for the waiters with the earliest deadline while the work goes on for the others.
    private func makeEarlyResult(_ state: inout State) {
        let early = deadline.soonest < deadline.latest ? deadline.soonest : nil
        guard let makeEarlyResult = state.makeEarlyResult, state.earlyDeadline != early else { return }
        state.earlyResult?.cancel()
        state.earlyDeadline = early
        state.earlyResult = early.map { early in Task { await makeEarlyResult(early) } }
    }

    // MARK: - The work

    /// Starts the work. The caller calls this once.
    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task { await work() }
        let isAbandoned = state.withLock { state in
            state.task = task
            return !state.isOpen && state.participants.values.allSatisfy { $0.ending != nil }
        }
        if isAbandoned { task.cancel() }
    }

    /// Sets the function that makes an early result. It is called with the earliest deadline while other waiters have
    /// later ones, and cancelled when the waiters with the earliest deadline have left.
    func onEarlyDeadline(_ makeEarlyResult: @escaping @Sendable (Instant) async -> Void) {
        state.withLock { state in
            state.makeEarlyResult = makeEarlyResult
            self.makeEarlyResult(&state)
        }
    }

    /// Applies an event of the work to the progress, and reports that to all waiters.
    func receive(_ event: ProgressEvent) {
        let (apart, over, abandoned) = state.withLock {
            state -> ([Waiter<Ending>], [Waiter<Ending>], Task<Void, Never>?) in
            state.progress.apply(event)
            switch event {
            case .missing: state.isMissing = true
            case .head, .failed: state.isMissing = false
            default: break
            }
            if case .head(let head) = event {
                return (Self.separate(head, &state), Self.lendSlots(&state), nil)
            }
            Self.report(state)
            let over = Self.lendSlots(&state)
            return ([], over, state.isMissing ? closeIfAbandoned(&state) : nil)
        }
        for waiter in apart { waiter.resume(returning: .apart) }
        for waiter in over { waiter.resume(returning: .over) }
        abandoned?.cancel()
    }

    /// Gives all waiters an attachment that was made before.
    func reuse(_ attachment: ReadyAttachment) {
        state.withLock { state in
            state.progress.attachment = attachment
            Self.report(state)
        }
    }

    /// Takes out the waiters that may not share an answer with this head. If it is for one client only, the first waiter
    /// keeps it and the others leave.
    private static func separate(_ head: SourceHead, _ state: inout State) -> [Waiter<Ending>] {
        guard !head.freshness.isShareable else { return [] }
        state.isOpen = false
        guard let first = state.participants.keys.min() else { return [] }
        let others = state.participants.keys.filter { $0 != first }
        for id in others { state.participants[id]?.onProgress(Progress()) }
        return end(others.map { ($0, .apart) }, &state)
    }

    /// Ends the work: nothing better will come.
    func finish() {
        let (over, again) = state.withLock { state in
            state.isOpen = false
            state.makeEarlyResult = nil
            state.earlyResult?.cancel()
            let lastCutback = state.progress.attachment.isComplete ? nil : deadline.lastCutback
            let participants = state.participants.map { ($0.key, ($0.value.expiry > lastCutback ?? $0.value.expiry)) }
            return (
                Self.end(participants.filter { !$0.1 }.map { ($0.0, .over) }, &state),
                Self.end(participants.filter(\.1).map { ($0.0, .again) }, &state)
            )
        }
        for waiter in over { waiter.resume(returning: .over) }
        for waiter in again { waiter.resume(returning: .again) }
    }

    /// Sets the outcomes and returns the continuations to resume. A waiter that is not suspended yet finds its outcome
    /// later.
    private static func end(
        _ endings: [(id: Int, Ending)],
        _ state: inout State,
    ) -> [Waiter<Ending>] {
        endings.compactMap { id, ending in
            guard let participant = state.participants[id], participant.ending == nil else { return nil }
            guard let waiter = participant.waiter else {
                state.participants[id]?.ending = ending
                return nil
            }
            state.participants[id] = nil
            return waiter
        }
    }

    /// Reports the progress to all waiters. They are called while the state is locked, so that no two reports change
    /// places.
    private static func report(_ state: borrowing State) {
        for (id, participant) in state.participants where participant.ending == nil {
            report(state.progress, to: participant, id)
        }
    }

    /// Reports progress to a participant. Only the first one counts the downloaded bytes as its own.
    private static func report(_ progress: Progress, to participant: Participant, _ id: Int) {
        var progress = progress
        if id > 0 { progress.attachment.source.fetched = 0 }
        participant.onProgress(progress)
    }
}

extension AttachmentJob.Progress {
    /// Takes a better output. A clip has the tiny picture of its poster.
    private mutating func replace(by output: ReadyRung) {
        var output = output
        output.report.inline = output.report.inline ?? attachment.rung?.report.inline
        attachment.rung = SharedRung(output)
    }

    /// Applies an event of the work. What it changes stands here and nowhere else.
    mutating func apply(_ event: ProgressEvent) {
        switch event {
        case .head(let head):
            self.head = head
            attachment.failure = nil
        case .missing(let failure): attachment.failure = failure
        case .recognized(let format): attachment.source.format = format
        case .described(let report): attachment.source.report = report
        case .fetched(let contents):
            attachment.source.fetched = contents.present.count
            attachment.source.byteCount = contents.size
        case .output(let output): replace(by: output)
        case .earlyOutput(let output):
            let isBetter = attachment.rung.map { $0.report.rung.rank < output.report.rung.rank } ?? true
            if isBetter { replace(by: output) }
        case .thumbnail(let bytes): attachment.thumbnail = bytes
        case .converted(let request, let isHurried):
            attachment.isComplete = attachment.rung.map { request.isLast($0.report) } ?? false
            attachment.isHurried = isHurried
        case .downloaded(let instant): downloaded = instant
        case .decoding(let instant): decoding = decoding ?? instant
        case .failed(let failure): attachment.failure = attachment.failure ?? failure
        }
    }
}

import Base
import Media

/// The work on one attachment, for all notifications that want it, as a value: who waits until when, what is known, and what
/// happens next.
///
/// It decides and does nothing itself. Each event returns actions, and `AttachmentWorkRunner` carries them out in that order.
/// A caller joins with its deadline, and is answered once, then at the latest, with the best attempt. What is in the attempt
/// it has stored, through `outputs`.
///
/// The architecture page has the table of its states.
struct AttachmentWork: Sendable {
    typealias CallerID = Int

    /// The state of the work.
    enum State: String, Sendable, CaseIterable {
        /// Nothing runs and nobody waits: an attachment is kept, or none was made yet.
        case atRest
        /// The kept file gets a new URL.
        case renewing
        /// The steps run, and others may join.
        case working
        /// The steps run for those who are here: the origin's answer is for one client only.
        case workingApart
        /// Nothing runs, and nobody may join any more.
        case over
    }

    enum Action: Sendable {
        /// Reports the event, in the name of the caller.
        case record(AttachmentEvent, for: CallerID)
        /// Gives the kept file a new URL.
        case renewKept(pass: Int, StoredFile)
        /// Gives a stored file a new URL for a caller.
        case renew(StoredFile, for: CallerID)
        /// Starts the download and the decoder, in the name of the caller. `known` is the version that is not fetched again.
        case begin(pass: Int, known: SourceValidators?, for: CallerID, until: Instant)
        /// Cancels the steps.
        case end
        case moveDeadline(soonest: Instant, latest: Instant)
        /// Makes an early result for the callers with that deadline; `nil` ends that.
        case makeEarlyResult(until: Instant?)
        /// Lends the caller's slot to others, or takes it back.
        case lend(CallerID), reclaim(CallerID)
        /// Tells the caller that a decoder works for it.
        case decoderBegan(CallerID)
        case answer(CallerID, Answer)
        case store(output: Int, ReadyRung, for: CallerID, until: Instant)
        case stopStoring(output: Int)
        /// Ends the wait of a caller that has its attempt stored.
        case deliver(CallerID, Result<StoredFile, AttachmentFailure>)
        case remove(StoredFile)
        /// Lets others find the work: it keeps an attachment.
        case keep
        /// Lets nobody find the work any more.
        case drop
    }

    /// The answer to a caller.
    enum Answer: Sendable {
        /// The best attempt.
        case attempt(ReadyAttachment)
        /// The origin's answer is for another client. The caller needs work of its own.
        case apart
        /// The file of an attachment that was made ahead of time is gone.
        case gone
    }

    private struct Caller: Sendable {
        var expiry: Instant
        /// A Boolean value that indicates whether others have its slot, because the source is missing.
        var isLent = false
    }

    /// The number of this work in this process, for recorders.
    let number: Int
    /// A Boolean value that indicates whether the attachment was made ahead of time, and cannot be made here.
    private let isPrepared: Bool
    private(set) var state = State.atRest
    /// The best attempt so far.
    private(set) var progress = ReadyAttachment()
    /// The attachment that later callers may use.
    private(set) var kept: KeptAttachment?
    var outputs = SharedOutputs()

    private var waiting: [CallerID: Caller] = [:]
    private var lastCaller = 0
    /// The number of times that the steps began. Events of earlier ones do not count.
    private(set) var pass = 0
    /// The caller for whom the bytes are downloaded.
    private var first: CallerID?
    /// The latest deadline for which the steps left something out.
    private var lastCutback: Instant?
    /// The best attempt of the passes before.
    private var best: ReadyAttachment?
    /// A Boolean value that indicates whether a kept attachment is stale, so that the origin is asked after its URL is new.
    private var isStale = false
    /// A Boolean value that indicates whether the origin does not have the source yet.
    private var isMissing = false
    private var makesEarlyResults = false
    private var earlyDeadline: Instant?

    init(number: Int) {
        self.number = number
        isPrepared = false
    }

    /// Creates the work whose attachment was made ahead of time and is kept until then.
    init(prepared: PreparedAttachment, until end: Instant) {
        number = 0
        isPrepared = true
        keep(prepared, until: end)
    }

    var hasCallers: Bool { !waiting.isEmpty }

    // MARK: - Callers

    /// Adds a caller. Returns `nil` if the work is of no use to it.
    mutating func join(until expiry: Instant, now: Instant, mayReuse: Bool) -> (id: CallerID, actions: [Action])? {
        switch state {
        case .over, .workingApart: return nil
        case .atRest where isPrepared && !(mayReuse && kept?.isFresh(at: now) == true): return nil
        // A caller with more time than the last cutback would miss what was left out.
        case .working where lastCutback ?? expiry < expiry: return nil
        default: break
        }
        lastCaller += 1
        waiting[lastCaller] = Caller(expiry: expiry)
        return (lastCaller, actions(forJoined: lastCaller, now, mayReuse))
    }

    private mutating func actions(forJoined id: CallerID, _ now: Instant, _ mayReuse: Bool) -> [Action] {
        switch state {
        case .atRest:
            guard mayReuse, let kept else { return begin(unless: nil) }
            isStale = !kept.isFresh(at: now)
            if let stored = keptFile, !isStale || kept.validators != nil {
                pass += 1
                state = .renewing
                return [.renewKept(pass: pass, stored)]
            }
            return isStale ? begin(unless: kept.validators) : reuse(kept.attachment, now)
        case .renewing: return []
        default:
            let decoding = progress.decoding == nil ? [] : [Action.decoderBegan(id)]
            return [.record(.joined(work: number), for: id)] + decoding + lendSlots() + moveDeadline()
        }
    }

    var keptFile: StoredFile? { kept?.attachment.output.flatMap { outputs.stored($0.number) } }

    /// The time of a caller is up: `serviceExtensionTimeWillExpire`.
    mutating func expire(_ id: CallerID) -> [Action] { leave(id, because: Self.expired) }

    /// A caller needs no more than there is.
    mutating func cancel(_ id: CallerID) -> [Action] { leave(id, because: Self.cancelled) }

    /// A caller may not wait for a source that is missing.
    mutating func refuse(_ id: CallerID) -> [Action] {
        guard isMissing, waiting[id]?.isLent == true else { return [] }
        waiting[id]?.isLent = false
        return leave(id, because: nil)
    }

    private mutating func leave(_ id: CallerID, because failure: AttachmentFailure?) -> [Action] {
        guard waiting[id] != nil else { return [] }
        var attempt = attempt(of: id)
        if !attempt.isComplete { attempt.failure = attempt.failure ?? failure }
        let answer = answer(id, attempt)
        return answer + (waiting.isEmpty ? abandon() : moveDeadline())
    }

    static let expired = AttachmentFailure(.decode, .timedOut, "The attachment was not ready in time.")
    private static let cancelled = AttachmentFailure(.decode, .cancelled, "The attachment was no longer needed.")

    /// Ends the work that nobody waits for.
    private mutating func abandon() -> [Action] {
        let early = endEarlyResult()
        let wasRenewing = state == .renewing
        pass += 1
        rest()
        return early + (wasRenewing ? [] : [.end]) + [kept == nil ? .drop : .keep]
    }

    /// Nothing runs any more.
    private mutating func rest() {
        state = kept == nil ? .over : .atRest
        (progress, best) = (ReadyAttachment(), nil)
        prune()
    }

    private mutating func answer(_ id: CallerID, _ attempt: ReadyAttachment) -> [Action] {
        outputs.hold(attempt, for: id)
        return answer(id, .attempt(attempt))
    }

    private mutating func answer(_ id: CallerID, _ answer: Answer) -> [Action] {
        guard let caller = waiting.removeValue(forKey: id) else { return [] }
        return (caller.isLent ? [.reclaim(id)] : []) + [.answer(id, answer)]
    }

    private mutating func answerAll(_ answer: Answer) -> [Action] {
        waiting.keys.sorted().flatMap { self.answer($0, answer) }
    }

    /// Returns the best attempt for a caller. The bytes count for one caller only.
    private func attempt(of id: CallerID) -> ReadyAttachment {
        var attempt = progress.keeping(best)
        if id != first { attempt.source.fetched = 0 }
        return attempt
    }

    private mutating func prune() {
        outputs.prune(besides: [progress.output, best?.output, kept?.attachment.output].compactMap { $0?.number })
    }

    // MARK: - What was made before

    /// The kept file got a new URL, or is gone. `mayReuse` says whether it may still be used.
    mutating func renewed(_ stored: StoredFile?, inPass pass: Int, now: Instant, mayReuse: Bool) -> [Action] {
        guard pass == self.pass, state == .renewing, let kept else { return [] }
        if stored == nil { self.kept = nil }
        let stored = mayReuse ? stored : nil
        if isStale { return begin(unless: stored == nil ? nil : kept.validators) }
        if let stored {
            var attachment = kept.attachment
            attachment.stored = stored
            return reuse(attachment, now)
        }
        guard !isPrepared else {
            state = .over
            return answerAll(.gone) + [.drop]
        }
        return begin(unless: nil)
    }

    /// Answers all callers with what was made before.
    private mutating func reuse(_ attachment: ReadyAttachment, _ now: Instant) -> [Action] {
        var attachment = attachment
        (attachment.head, attachment.decoding, attachment.downloaded) = (nil, nil, now)
        let answers = waiting.keys.sorted().flatMap { [.record(.reused, for: $0)] + answer($0, attachment) }
        rest()
        return answers
    }

    /// Another worker made the attachment ready ahead of time.
    mutating func found(_ prepared: PreparedAttachment, inPass pass: Int, now: Instant) -> [Action] {
        guard pass == self.pass, isRunning else { return [] }
        keep(prepared, until: now)
        if let kept { progress.reuse(kept.attachment) }
        kept = nil
        let reused = waiting.keys.min().map { [Action.record(.reused, for: $0)] } ?? []
        let answers = waiting.keys.sorted().flatMap { answer($0, attempt(of: $0)) }
        rest()
        return reused + answers + [.drop]
    }

    private mutating func keep(_ prepared: PreparedAttachment, until end: Instant) {
        var attachment = ReadyAttachment()
        attachment.output = outputs.add(prepared.report, stored: prepared.stored)
        attachment.source = prepared.source
        attachment.source.fetched = 0
        attachment.isComplete = true
        kept = KeptAttachment(attachment, until: end)
    }

    // MARK: - The steps

    /// A Boolean value that indicates whether the steps run.
    var isRunning: Bool { state == .working || state == .workingApart }

    private mutating func begin(unless known: SourceValidators?) -> [Action] {
        pass += 1
        state = .working
        progress = ReadyAttachment()
        (lastCutback, earlyDeadline, isMissing, makesEarlyResults) = (nil, nil, false, false)
        guard let id = waiting.keys.min(), let latest = waiting.values.map(\.expiry).max() else { return [] }
        first = id
        prune()
        let joined = waiting.keys.sorted().dropFirst().map { Action.record(.joined(work: number), for: $0) }
        let begun = [Action.record(.begun(work: number), for: id)] + joined
        return begun + [.begin(pass: pass, known: known, for: id, until: latest)] + moveDeadline()
    }

    /// The steps left something out, to meet that deadline.
    mutating func cutBack(to deadline: Instant, inPass pass: Int) {
        if pass == self.pass, isRunning { lastCutback = deadline }
    }

    /// From now on an early result can be made for callers with less time.
    mutating func allowEarlyResults(inPass pass: Int) -> [Action] {
        guard pass == self.pass, isRunning else { return [] }
        makesEarlyResults = true
        return moveDeadline()
    }

    private mutating func moveDeadline() -> [Action] {
        let expiries = waiting.values.map(\.expiry)
        guard isRunning, let soonest = expiries.min(), let latest = expiries.max() else { return [] }
        let move = Action.moveDeadline(soonest: soonest, latest: latest)
        let early = soonest < latest ? soonest : nil
        guard makesEarlyResults, early != earlyDeadline else { return [move] }
        earlyDeadline = early
        return [move, .makeEarlyResult(until: early)]
    }

    private mutating func endEarlyResult() -> [Action] {
        guard earlyDeadline != nil else { return [] }
        earlyDeadline = nil
        return [.makeEarlyResult(until: nil)]
    }

    /// A step reports an event.
    mutating func receive(_ event: ProgressEvent, inPass pass: Int) -> [Action] {
        guard pass == self.pass, isRunning else { return [] }
        let wasDecoding = progress.decoding != nil
        progress.apply(event, &outputs)
        switch event {
        case .missing: isMissing = true
        case .head(let head):
            isMissing = false
            return lendSlots() + (head.freshness.isShareable ? [] : separate())
        case .failed: isMissing = false
        case .decoding where !wasDecoding: return waiting.keys.sorted().map { .decoderBegan($0) }
        case .output, .earlyOutput: prune()
        default: break
        }
        return lendSlots()
    }

    /// Lends the slots of the callers while the source is missing, and takes them back when it is there.
    private mutating func lendSlots() -> [Action] {
        let ids = waiting.filter { $0.value.isLent != isMissing }.keys.sorted()
        for id in ids { waiting[id]?.isLent = isMissing }
        return ids.map { isMissing ? .lend($0) : .reclaim($0) }
    }

    /// The first caller keeps an answer that is for one client only. The others leave.
    private mutating func separate() -> [Action] {
        state = .workingApart
        first = waiting.keys.min()
        let others = waiting.keys.sorted().dropFirst().flatMap { answer($0, .apart) }
        return others + moveDeadline()
    }

    /// The steps are done: nothing better comes. Begins again for callers whose time was not used up.
    ///
    /// `floor` is the lifetime of a source whose origin does not give one.
    mutating func ended(inPass pass: Int, now: Instant, floor: Duration) -> [Action] {
        guard pass == self.pass, isRunning else { return [] }
        var actions = endEarlyResult()
        let renewed = KeptAttachment(progress, before: kept, wasCutBack: lastCutback != nil, floor: floor, now: now)
        if progress.isUnchanged, let kept {
            progress.reuse(kept.attachment)
            if renewed != nil, let id = waiting.keys.min() { actions.append(.record(.revalidated, for: id)) }
        }
        let cutback = progress.isComplete ? nil : lastCutback
        for (id, caller) in waiting.sorted(by: { $0.key < $1.key }) where cutback.map({ caller.expiry <= $0 }) ?? true {
            actions += answer(id, attempt(of: id))
        }
        guard waiting.isEmpty else {
            best = progress.keeping(best)
            return actions + begin(unless: nil)
        }
        // Only what others could join is kept.
        if state == .working, let renewed { kept = renewed }
        rest()
        return actions + [kept == nil ? .drop : .keep]
    }
}

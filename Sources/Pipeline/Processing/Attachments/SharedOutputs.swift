import Base
import Media

/// The finished outputs of an attachment's work, and the callers whose attempts have them: the first has an output stored, and
/// all get the file. A part of `AttachmentWork`.
///
/// A stored output takes no memory here.
struct SharedOutputs: Sendable {
    typealias CallerID = AttachmentWork.CallerID
    typealias Action = AttachmentWork.Action

    private enum Location: Sendable {
        case memory(OutputFile)
        /// It is being stored, unless that was stopped because nobody was left.
        case storing(OutputFile, isStopped: Bool)
        case stored(StoredFile)
    }

    private struct Output: Sendable {
        let report: RungReport
        var location: Location
    }

    private struct Holder: Sendable {
        let output: Int
        /// The file of an output that was stored before, with a new URL.
        let stored: StoredFile?
        /// The time until which it waits for the store; `nil` before.
        var expiry: Instant?
        var hasRetried = false
        var isTakenBack = false
    }

    private var outputs: [Int: Output] = [:]
    private var holders: [CallerID: Holder] = [:]
    private var lastOutput = 0
    /// The outputs that are needed without a caller.
    private var kept: [Int] = []

    // MARK: - Outputs

    /// Adds an output that is in memory.
    mutating func add(_ rung: ReadyRung) -> ReadyAttachment.Output { add(rung.report, .memory(rung.file)) }

    /// Adds an output that is stored already.
    mutating func add(_ report: RungReport, stored: StoredFile) -> ReadyAttachment.Output {
        add(report, .stored(stored))
    }

    private mutating func add(_ report: RungReport, _ location: Location) -> ReadyAttachment.Output {
        lastOutput += 1
        outputs[lastOutput] = Output(report: report, location: location)
        return ReadyAttachment.Output(number: lastOutput, report: report)
    }

    /// The file that the first caller got for the output; `nil` if it is not stored.
    func stored(_ number: Int) -> StoredFile? {
        if case .stored(let file)? = outputs[number]?.location { file } else { nil }
    }

    /// Drops the outputs that no caller has, except for these.
    mutating func prune(besides kept: [Int]) {
        self.kept = kept
        prune()
    }

    private mutating func prune() {
        let held = Set(kept).union(holders.values.map(\.output))
        for number in outputs.keys where !held.contains(number) { outputs[number] = nil }
    }

    // MARK: - Callers

    /// Keeps the output of an attempt for a caller, until that has it stored or lets go of it.
    mutating func hold(_ attempt: ReadyAttachment, for id: CallerID) {
        guard let output = attempt.output else { return }
        holders[id] = Holder(output: output.number, stored: attempt.stored)
    }

    /// The callers that wait for an output, or for any.
    func storing(_ number: Int? = nil) -> [CallerID] {
        holders.filter { $0.value.expiry != nil && number ?? $0.value.output == $0.value.output }.keys.sorted()
    }

    /// The file of an attempt that was stored before.
    func heldFile(of id: CallerID) -> StoredFile? { holders[id]?.stored }

    /// The source of a caller's attachment was taken back since the caller joined.
    mutating func takeBack(_ id: CallerID) { holders[id]?.isTakenBack = true }

    /// Has the output of a caller's attempt stored, or waits for another caller that does.
    mutating func store(_ id: CallerID, until expiry: Instant) -> [Action] {
        guard let holder = holders[id], let output = outputs[holder.output] else { return [] }
        if let stored = holder.stored { return deliver([id], .success(stored), isShared: true) }
        holders[id]?.expiry = expiry
        switch output.location {
        case .memory(let file): return store(holder.output, file, for: id, until: expiry)
        case .storing: return []
        case .stored(let file): return [.renew(file, for: id)]
        }
    }

    private mutating func store(_ number: Int, _ file: OutputFile, for id: CallerID, until expiry: Instant) -> [Action]
    {
        guard let report = outputs[number]?.report else { return [] }
        outputs[number]?.location = .storing(file, isStopped: false)
        return [.store(output: number, ReadyRung(report: report, file: file), for: id, until: expiry)]
    }

    /// The file of a stored output got a new URL for that caller, or is gone.
    mutating func renewed(_ stored: StoredFile?, for id: CallerID) -> [Action] {
        deliver([id], stored.map { .success($0) } ?? .failure(Self.gone))
    }

    /// An output was stored, or the store failed. If publishing failed, tries once more for callers whose time suffices, as
    /// `mayRetry` says: the failure may be that of another caller, which had less time.
    mutating func stored(
        _ number: Int,
        _ result: Result<StoredFile, AttachmentFailure>,
        mayRetry: (_ expiry: Instant) -> Bool,
    ) -> [Action] {
        guard case .storing(let file, let wasStopped)? = outputs[number]?.location else { return [] }
        let ids = storing(number)
        let failure: AttachmentFailure
        switch result {
        case .success(let stored):
            outputs[number]?.location = .stored(stored)
            return deliver(ids, result)
        case .failure(let reason): failure = reason
        }
        outputs[number]?.location = .memory(file)
        let retrying = ids.filter { id in
            guard let holder = holders[id], let expiry = holder.expiry else { return false }
            return wasStopped || failure.reason == .publishFailed && !holder.hasRetried && mayRetry(expiry)
        }
        let failed = deliver(ids.filter { !retrying.contains($0) }, result)
        if !wasStopped { for id in retrying { holders[id]?.hasRetried = true } }
        guard let id = retrying.first, let expiry = retrying.compactMap({ holders[$0]?.expiry }).max() else {
            return failed
        }
        return failed + store(number, file, for: id, until: expiry)
    }

    /// The time of a caller for storing is up.
    mutating func expire(_ id: CallerID) -> [Action] { end(id, .failure(Self.late)) }

    /// A caller does not wait for the store any more.
    mutating func cancel(_ id: CallerID) -> [Action] { end(id, .failure(Self.cancelled)) }

    private mutating func end(_ id: CallerID, _ result: Result<StoredFile, AttachmentFailure>) -> [Action] {
        guard let holder = holders.removeValue(forKey: id) else { return [] }
        defer { prune() }
        let end = [Action.deliver(id, result)]
        guard case .storing(let file, isStopped: false)? = outputs[holder.output]?.location,
            storing(holder.output).isEmpty
        else { return end }
        outputs[holder.output]?.location = .storing(file, isStopped: true)
        return end + [.stopStoring(output: holder.output)]
    }

    /// Gives callers the result. What was taken back is removed, unless others have it: it may have been stored after the
    /// source's files were removed.
    private mutating func deliver(
        _ ids: [CallerID],
        _ result: Result<StoredFile, AttachmentFailure>,
        isShared: Bool = false,
    ) -> [Action] {
        defer { prune() }
        var actions: [Action] = []
        var takenBack: Set<Bool> = []
        for id in ids {
            guard let holder = holders.removeValue(forKey: id) else { continue }
            takenBack.insert(holder.isTakenBack)
            actions.append(.deliver(id, holder.isTakenBack ? .failure(Self.forgotten) : result))
        }
        if case .success(let stored) = result, takenBack == [true], !isShared { actions.append(.remove(stored)) }
        return actions
    }

    private static let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
    private static let cancelled = AttachmentFailure(.store, .cancelled, "The attachment was no longer needed.")
    private static let forgotten = AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
    private static let gone = AttachmentFailure(
        .store,
        .storeFailed,
        "The attachment was removed from the store before it was delivered. Raise the quota with --quota.",
    )
}

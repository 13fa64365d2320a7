import Base
import Media
import Synchronization

/// The hand of an `AttachmentWork`: it passes events to the value, and carries out the actions in order, outside the lock.
final class AttachmentWorkRunner: Sendable {
    private struct Guarded {
        var work: AttachmentWork
        var actions: [AttachmentWork.Action] = []
        /// A Boolean value that indicates whether a thread carries out actions.
        var isActing = false
        var callers: [AttachmentWork.CallerID: AttachmentCaller] = [:]
        /// The steps of the pass with that number.
        var steps: AttachmentSteps?
        var stepsPass = 0
        var running: Task<Void, Never>?
        var earlyResult: Task<Void, Never>?
        var storing: [Int: Task<Void, Never>] = [:]

        mutating func noteCutback() {
            if let cutback = steps?.deadline.lastCutback { work.cutBack(to: cutback, inPass: stepsPass) }
        }

        /// Lets go of the steps, and so of the source's bytes.
        mutating func rest() { (steps, running) = (nil, nil) }
    }

    /// The key of the attachment that is made; `nil` if it was made ahead of time.
    private let key: AttachmentKey?
    private let context: AttachmentSteps.Context
    /// The cache in which others find this work.
    private weak let cache: AttachmentCache?
    private let state: Mutex<Guarded>

    init(
        _ work: AttachmentWork,
        for key: AttachmentKey? = nil,
        in context: AttachmentSteps.Context,
        cache: AttachmentCache
    ) {
        self.key = key
        self.context = context
        self.cache = cache
        state = Mutex(Guarded(work: work))
    }

    var time: any TimeSource { context.time }
    private var steps: RecordedSteps { context.steps }

    /// The kept attachment; `nil` if there is none.
    var kept: KeptAttachment? { state.withLock { $0.work.kept } }
    /// The file of the kept attachment; `nil` if it has none in the store.
    var keptFile: StoredFile? { state.withLock { $0.work.keptFile } }

    // MARK: - Events

    /// Adds a caller. Returns `nil` if the work is of no use to it. Nothing happens before `carryOut()`.
    func join(
        _ wanted: WantedAttachment,
        until expiry: Instant,
        isTakenBack: @escaping @Sendable () -> Bool,
        mayReuse: Bool,
    ) -> AttachmentCaller? {
        let now = time.now
        return state.withLock { guarded in
            guarded.noteCutback()
            guard let (id, actions) = guarded.work.join(until: expiry, now: now, mayReuse: mayReuse) else { return nil }
            guarded.actions += actions
            let caller = AttachmentCaller(id, of: self, wanted, until: expiry, isTakenBack: isTakenBack)
            guarded.callers[id] = caller
            return caller
        }
    }

    /// Passes an event to the value, and carries out its actions.
    func act(_ event: (inout AttachmentWork) -> [AttachmentWork.Action]) {
        state.withLock { guarded in
            guarded.noteCutback()
            guarded.actions += event(&guarded.work)
        }
        carryOut()
    }

    /// Carries out the actions, one after the other, unless another thread does that.
    func carryOut() {
        var isFirst = true
        while let actions = state.withLock({ guarded -> [AttachmentWork.Action]? in
            if isFirst, guarded.isActing { return nil }
            defer { guarded.actions = [] }
            guarded.isActing = !guarded.actions.isEmpty
            return guarded.isActing ? guarded.actions : nil
        }) {
            isFirst = false
            for action in actions { perform(action) }
        }
    }

    /// Has the output of a caller's attempt stored.
    func store(_ caller: AttachmentCaller, until expiry: Instant) {
        noteTakenBack([caller], state.withLock { $0.work.outputs.heldFile(of: caller.id) })
        act { $0.outputs.store(caller.id, until: expiry) }
    }

    /// Notes which of the callers that get a file may not have it, because its source was taken back since they joined.
    private func noteTakenBack(_ callers: [AttachmentCaller], _ stored: StoredFile? = nil) {
        let isForgotten = stored.map(steps.store.isForgotten) ?? false
        for caller in callers where isForgotten || caller.isTakenBack {
            state.withLock { $0.work.outputs.takeBack(caller.id) }
        }
    }

    private func callers(storing output: Int) -> [AttachmentCaller] {
        state.withLock { guarded in guarded.work.outputs.storing(output).compactMap { guarded.callers[$0] } }
    }

    // MARK: - Actions

    private func perform(_ action: AttachmentWork.Action) {
        switch action {
        case .record(let event, let id): inName(of: id) { steps.recorder.record(.attachment(event)) }
        case .renewKept(let pass, let stored): renewKept(stored, inPass: pass)
        case .renew(let stored, let id): renew(stored, for: id)
        case .begin(let pass, let known, let id, let expiry): begin(pass, unless: known, for: id, until: expiry)
        case .end: state.withLock(\.running)?.cancel()
        case .moveDeadline(let soonest, let latest):
            state.withLock(\.steps)?.deadline.move(soonest: soonest, latest: latest)
        case .makeEarlyResult(let expiry): makeEarlyResult(until: expiry)
        case .lend(let id): if caller(id)?.lend() == false { act { $0.refuse(id) } }
        case .reclaim(let id): caller(id)?.reclaim()
        case .decoderBegan(let id): caller(id)?.slot?.decoderBegan()
        case .answer(let id, let answer): self.answer(id, answer)
        case .store(let output, let rung, let id, let expiry): store(output, rung, for: id, until: expiry)
        case .stopStoring(let output): state.withLock { $0.storing[output] }?.cancel()
        case .deliver(let id, let result): state.withLock { $0.callers.removeValue(forKey: id) }?.delivery.set(result)
        case .remove(let stored): Task { await steps.store.forget(stored) }
        case .keep, .drop:
            let kept = state.withLock { guarded in
                if !guarded.work.isRunning { guarded.rest() }
                return guarded.work.kept
            }
            if let key { cache?.replace(self, kept, for: key) }
        }
    }

    private func caller(_ id: AttachmentWork.CallerID) -> AttachmentCaller? { state.withLock { $0.callers[id] } }

    private func answer(_ id: AttachmentWork.CallerID, _ answer: AttachmentWork.Answer) {
        let caller = state.withLock { guarded in
            // One with an output comes again, to have it stored.
            if case .attempt(let attempt) = answer, attempt.output != nil { return guarded.callers[id] }
            return guarded.callers.removeValue(forKey: id)
        }
        caller?.answer.set(answer)
    }

    private func renewKept(_ stored: StoredFile, inPass pass: Int) {
        if let renewed = steps.store.renewAtOnce(stored) { return keptWasRenewed(renewed, inPass: pass) }
        task { [self] in keptWasRenewed(await steps.store.renew(stored), inPass: pass) }
    }

    private func keptWasRenewed(_ renewed: StoredFile?, inPass pass: Int) {
        let (now, mayReuse) = (time.now, context.mayReuse())
        act { $0.renewed(renewed, inPass: pass, now: now, mayReuse: mayReuse) }
    }

    private func renew(_ stored: StoredFile, for id: AttachmentWork.CallerID) {
        task(for: id) { [self] in
            let renewed = await steps.store.renew(stored)
            noteTakenBack([caller(id)].compactMap(\.self), stored)
            act { $0.outputs.renewed(renewed, for: id) }
        }
    }

    private func begin(
        _ pass: Int,
        unless known: SourceValidators?,
        for id: AttachmentWork.CallerID,
        until expiry: Instant,
    ) {
        guard let wanted = caller(actingFor: id)?.wanted else { return }
        let deadline = Deadline(expiry)
        let steps = AttachmentSteps(wanted, deadline, in: context) { [self] in
            act { $0.allowEarlyResults(inPass: pass) }
        } receive: { [self] event in
            act { $0.receive(event, inPass: pass) }
        }
        let running = task(for: id) { [self] in
            if let found = await cache?.find(wanted, until: deadline.latest) {
                return act { $0.found(found, inPass: pass, now: time.now) }
            }
            await steps.run(unless: known)
            act { $0.ended(inPass: pass, now: time.now, floor: context.floor) }
        }
        state.withLock { guarded in
            (guarded.steps, guarded.stepsPass) = (steps, pass)
            guarded.running = running
        }
    }

    private func makeEarlyResult(until expiry: Instant?) {
        let steps = state.withLock { guarded in
            guarded.earlyResult?.cancel()
            guarded.earlyResult = nil
            return guarded.steps
        }
        guard let expiry, let steps else { return }
        let task = task { [self] in
            await steps.makeEarlyResult(until: expiry) { state.withLock { $0.work.progress.output != nil } }
        }
        state.withLock { $0.earlyResult = task }
    }

    private func store(_ output: Int, _ rung: ReadyRung, for id: AttachmentWork.CallerID, until expiry: Instant) {
        guard let source = key?.source else { return }
        let storing = task(for: id) { [self] in
            let result: Result<StoredFile, AttachmentFailure>
            do throws(AttachmentFailure) {
                result = .success(try await steps.store(rung, of: source, until: expiry))
            } catch {
                result = .failure(error)
            }
            state.withLock { $0.storing[output] = nil }
            noteTakenBack(callers(storing: output), try? result.get())
            let (isOpen, done) = (steps.store.refusal == nil, time.now + steps.store.cost)
            act { $0.outputs.stored(output, result) { isOpen && done < $0 } }
        }
        state.withLock { $0.storing[output] = storing }
    }

    /// The caller in whose name something is done: another one if it has left.
    private func caller(actingFor id: AttachmentWork.CallerID?) -> AttachmentCaller? {
        state.withLock { guarded in
            id.flatMap { guarded.callers[$0] } ?? guarded.callers.min { $0.key < $1.key }?.value
        }
    }

    /// Does something in the name of a caller: for its tenant, as a part of its activity.
    private func inName<Value>(of id: AttachmentWork.CallerID?, _ work: () -> Value) -> Value {
        let caller = caller(actingFor: id)
        return WorkingTenant.$name.withValue(caller?.tenant ?? TenantName.unnamed) {
            Activity.$current.withValue(caller?.activity, operation: work)
        }
    }

    @discardableResult
    private func task(
        for id: AttachmentWork.CallerID? = nil,
        _ work: @escaping @Sendable () async -> Void,
    ) -> Task<Void, Never> {
        inName(of: id) { Task { await work() } }
    }
}

import Base
import Glibc
import Media

@testable import Processing

/// An attachment's work with two callers, one of which has less time, and a hand that carries out the actions at once, without
/// tasks and clocks. It knows what must hold after each event.
struct WorkOfTwo {
    /// The state at the beginning.
    enum Start: CaseIterable {
        case nothing
        /// The steps leave something out for the caller with less time.
        case cutBack
        /// A stored file that is fresh, must be revalidated, or is gone.
        case fresh, stale, gone
    }

    /// An event that happens at most once.
    enum Event: CaseIterable {
        case joinsEarly, joinsLate, leaves, expires, isPrivate, makesOutput, fails, isCancelled, isTakenBack,
            storeAnswers
    }

    static let (early, late) = (Instant(sinceOrigin: .seconds(10)), Instant(sinceOrigin: .seconds(20)))
    private static let (now, end) = (Instant(sinceOrigin: .seconds(1)), Instant(sinceOrigin: .seconds(30)))
    private static let file = StoredFile(identifier: "1", url: "file:///1", sha256: "00")
    private static let failure = AttachmentFailure(.download, .stalled, "The test says so.")
    private let rung: ReadyRung

    private let start: Start
    private var work = AttachmentWork(number: 1)
    private var queue: [AttachmentWork.Action] = []
    /// The callers that wait for an answer, with the rank of the best output since they joined.
    private var waiting: [Int: Int] = [:]
    private var delivering: Set<Int> = []
    private var takenBack: Set<Int> = []
    private var ids: [Event: Int] = [:]
    private var pass: Int?
    private var renewing: Int?
    private var renewals: [Int] = []
    private var stores: Set<Int> = []
    /// The rules that were broken.
    private(set) var violations: [String] = []

    init(_ start: Start) throws {
        rung = ReadyRung(
            report: RungReport(rung: .downscaled, format: .jpeg, byteCount: 2),
            file: try OutputFile(capacity: 2)
        )
        self.start = start
        guard start != .nothing, start != .cutBack else { return }
        join(.joinsLate, until: Self.late)
        let lifetime: Duration = start == .stale ? .zero : .seconds(60)
        let answer = SourceFreshness.Answer(lifetime: lifetime, received: Self.now)
        receive(
            .head(SourceHead(status: 200, freshness: .init(answers: [answer]), validators: .init(entityTag: "\"a\"")))
        )
        receive(.output(rung))
        finish()
        answerStore()
        ids = [:]
        if work.kept == nil || work.keptFile == nil { violations.append("nothing is kept") }
    }

    // MARK: - Events

    /// Applies an event. Returns `false` if it cannot happen now.
    mutating func apply(_ event: Event) -> Bool {
        switch event {
        case .joinsEarly: join(event, until: Self.early)
        case .joinsLate: join(event, until: Self.late)
        case .leaves:
            return leave(.joinsLate) {
                $0.cancel($1)
            } storing: {
                $0.outputs.cancel($1)
            }
        case .expires:
            return leave(.joinsEarly) {
                $0.expire($1)
            } storing: {
                $0.outputs.expire($1)
            }
        case .isCancelled:
            return leave(.joinsEarly) {
                $0.cancel($1)
            } storing: {
                $0.outputs.cancel($1)
            }
        case .isTakenBack:
            guard let id = ids[.joinsEarly], waiting[id] != nil || delivering.contains(id) else { return false }
            takenBack.insert(id)
        case .isPrivate:
            guard pass != nil else { return false }
            let answer = SourceFreshness.Answer(isShareable: false, received: Self.now)
            receive(.head(SourceHead(status: 200, freshness: .init(answers: [answer]))))
            if waiting.count > 1 { violations.append("an answer for one client has two callers") }
        case .makesOutput:
            guard pass != nil else { return false }
            for id in waiting.keys { waiting[id] = rung.report.rung.rank }
            receive(.output(rung))
        case .fails:
            guard let pass else { return false }
            if start == .cutBack { work.cutBack(to: Self.early, inPass: pass) }
            receive(.failed(Self.failure))
            finish()
        case .storeAnswers:
            guard renewing != nil || !renewals.isEmpty || !stores.isEmpty else { return false }
            answerStore()
        }
        check()
        return true
    }

    /// Lets the time of both callers pass, and checks that nobody waits any more.
    mutating func end() {
        for id in waiting.keys.sorted() { act { $0.expire(id) } }
        for id in delivering.sorted() { act { $0.outputs.expire(id) } }
        if !waiting.isEmpty || !delivering.isEmpty { violations.append("a caller waits longer than its deadline") }
        check()
    }

    private mutating func join(_ event: Event, until expiry: Instant) {
        guard let (id, actions) = work.join(until: expiry, now: Self.now, mayReuse: true) else { return ids[event] = 0 }
        if work.state == .over { violations.append("a caller joins work that is over") }
        ids[event] = id
        waiting[id] = 0
        act { _ in actions }
    }

    private typealias Departure = (inout AttachmentWork, Int) -> [AttachmentWork.Action]

    private mutating func leave(_ event: Event, _ waits: Departure, storing: Departure) -> Bool {
        guard let id = ids[event], waiting[id] != nil || delivering.contains(id) else { return false }
        if waiting[id] != nil {
            act { waits(&$0, id) }
            if waiting[id] != nil { violations.append("a caller is not answered at once") }
        } else {
            act { storing(&$0, id) }
            if delivering.contains(id) { violations.append("a caller goes on waiting for the store") }
        }
        check()
        return true
    }

    private mutating func receive(_ event: ProgressEvent) {
        guard let pass else { return }
        act { $0.receive(event, inPass: pass) }
    }

    private mutating func finish() {
        guard let ended = pass else { return }
        pass = nil
        act { $0.ended(inPass: ended, now: Self.now, floor: .seconds(1)) }
    }

    private mutating func answerStore() {
        if let pass = renewing {
            renewing = nil
            act { [start] in $0.renewed(start == .gone ? nil : Self.file, inPass: pass, now: Self.now, mayReuse: true) }
        } else if let id = renewals.popLast() {
            noteTakenBack([id])
            act { $0.outputs.renewed(Self.file, for: id) }
        } else if let output = stores.popFirst() {
            noteTakenBack(work.outputs.storing(output))
            act { $0.outputs.stored(output, .success(Self.file)) { _ in false } }
        }
    }

    private mutating func noteTakenBack(_ ids: [Int]) {
        for id in ids where takenBack.contains(id) { work.outputs.takeBack(id) }
    }

    // MARK: - Actions

    private mutating func act(_ event: (inout AttachmentWork) -> [AttachmentWork.Action]) {
        queue += event(&work)
        while !queue.isEmpty { perform(queue.removeFirst()) }
    }

    private mutating func perform(_ action: AttachmentWork.Action) {
        switch action {
        case .begin(let number, _, _, _):
            if pass != nil { violations.append("two passes run") }
            pass = number
        case .end: pass = nil
        case .renewKept(let pass, _): renewing = pass
        case .renew(_, for: let id): renewals.append(id)
        case .answer(let id, let answer): receive(answer, for: id)
        case .store(let output, _, _, _): stores.insert(output)
        case .deliver(let id, let result):
            if delivering.remove(id) == nil { violations.append("a caller gets two files") }
            if takenBack.contains(id), case .success = result { violations.append("what was taken back is delivered") }
        case .keep: if work.kept == nil { violations.append("nothing is kept") }
        case .drop: if !waiting.isEmpty { violations.append("work with callers is dropped") }
        case .moveDeadline(let soonest, let latest):
            if soonest > latest || latest > Self.late { violations.append("the deadline is wrong") }
        case .record, .makeEarlyResult, .lend, .reclaim, .decoderBegan, .stopStoring, .remove: break
        }
    }

    private mutating func receive(_ answer: AttachmentWork.Answer, for id: Int) {
        guard let best = waiting.removeValue(forKey: id) else { return violations.append("a caller is answered twice") }
        guard case .attempt(let attempt) = answer else { return }
        if attempt.output?.report.rung.rank ?? 0 < best { violations.append("an attempt is worse than before") }
        guard attempt.output != nil else { return }
        delivering.insert(id)
        noteTakenBack([id])
        queue += work.outputs.store(id, until: Self.end)
    }

    // MARK: - Rules

    private mutating func check() {
        if pass != nil, waiting.isEmpty { violations.append("the steps run for nobody") }
        if !waiting.isEmpty, pass == nil, renewing == nil { violations.append("a caller waits for nothing") }
        if !delivering.isEmpty, stores.isEmpty, renewals.isEmpty { violations.append("a caller waits for no store") }
        if work.hasCallers == waiting.isEmpty { violations.append("the work knows other callers") }
    }
}

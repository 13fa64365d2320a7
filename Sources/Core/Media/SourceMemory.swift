package import Base
import Synchronization

/// The memory for the bytes of all sources of a process, as one budget (SECURITY M1).
///
/// Memory files are charged to the container like everything else. Without a budget, a few dozen large pictures at once
/// would get the worker killed. ``MemoryPool`` decides; this type applies its decisions to the files.
package final class SourceMemory: Sendable {
    /// One source's part of the memory. The file and the pool share it.
    final class Claim: Sendable {
        fileprivate let id: Int
        fileprivate let deadline: Deadline
        /// The bytes that the source may have, and the bytes that are written.
        fileprivate let granted = Atomic(0)
        fileprivate let written = Atomic(0)
        fileprivate let isOpened = Atomic(false)
        /// The number of times that the source waited and got memory.
        fileprivate let grants = Atomic(0)
        fileprivate let file = Mutex<WeakFile>(WeakFile())

        fileprivate init(id: Int, deadline: Deadline) {
            self.id = id
            self.deadline = deadline
        }

        var room: Int { max(0, granted.load(ordering: .acquiring) - written.load(ordering: .acquiring)) }
        var grantCount: Int { grants.load(ordering: .acquiring) }

        func setWritten(_ byteCount: Int) { written.store(byteCount, ordering: .releasing) }
        var isKept: Bool { isOpened.load(ordering: .acquiring) }
        func setOpened() { isOpened.store(true, ordering: .releasing) }
    }

    /// The ownership of a claim. Its memory is free when the last owner is gone.
    final class Lease: Sendable {
        let claim: Claim
        fileprivate let memory: SourceMemory

        fileprivate init(_ claim: Claim, _ memory: SourceMemory) {
            self.claim = claim
            self.memory = memory
        }

        deinit { memory.end(claim) }

        func attach(to file: MediaFile) { claim.file.withLock { $0.file = file } }
        func announce(_ byteCount: Int) throws(AttachmentFailure) { try memory.announce(byteCount, for: claim) }
        func makeRoom(for byteCount: Int) -> Bool { claim.room >= byteCount || memory.makeRoom(byteCount, for: claim) }
        func settle() { memory.settle(claim) }
    }

    /// The present use of the memory.
    package struct Usage: Sendable, Equatable {
        package var heldBytes: Int
        package var byteLimit: Int

        package init(heldBytes: Int, byteLimit: Int) {
            self.heldBytes = heldBytes
            self.byteLimit = byteLimit
        }
    }

    fileprivate struct WeakFile {
        weak var file: MediaFile?
    }

    private struct State {
        var pool: MemoryPool
        var claims: [Int: Claim] = [:]
        var nextID = 0
    }

    package let byteLimit: Int
    /// The largest source that fits when it is alone.
    package let largestSource: Int
    private let time: any TimeSource
    /// The alarm for the next look at the sources that wait.
    private let alarm: Alarm
    private let paceDelay: Duration
    private let recorder: any EventRecorder<SourceMemoryEvent>
    private let state: Mutex<State>

    package init(
        byteLimit: Int,
        rule: MemoryPool.Rule = MemoryPool.Rule(),
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<SourceMemoryEvent> = NoRecorder<SourceMemoryEvent>(),
    ) {
        let pool = MemoryPool(byteLimit: byteLimit, rule: rule)
        self.byteLimit = byteLimit
        largestSource = pool.largest
        self.time = time
        alarm = Alarm(time)
        paceDelay = rule.paceDelay
        self.recorder = recorder
        state = Mutex(State(pool: pool))
    }

    package var usage: Usage { Usage(heldBytes: state.withLock(\.pool.heldBytes), byteLimit: byteLimit) }

    /// Returns a new claim for a file of at most `most` bytes.
    func lease(most: Int, until deadline: Deadline) -> Lease {
        let claim = state.withLock { state in
            state.nextID += 1
            let claim = Claim(id: state.nextID, deadline: deadline)
            state.claims[claim.id] = claim
            state.pool.add(claim.id, most: most, urgency: deadline.soonest)
            return claim
        }
        return Lease(claim, self)
    }

    private func announce(_ byteCount: Int, for claim: Claim) throws(AttachmentFailure) {
        guard reserve(claim, { $0.reserve(byteCount, for: claim.id) }) != nil else {
            throw Self.tooLarge(byteCount, largestSource)
        }
    }

    private func makeRoom(_ byteCount: Int, for claim: Claim) -> Bool {
        if let isGranted = reserve(claim, { $0.grow(claim.id, by: byteCount) }) { return isGranted }
        claim.file.withLock(\.file)?.end(.cut(Self.tooLarge(nil, largestSource)))
        return false
    }

    /// Returns whether the claim has what `change` reserves; `nil` if it can never have that.
    private func reserve(_ claim: Claim, _ change: (inout MemoryPool) -> Bool) -> Bool? {
        let now = time.now
        return decide { state -> (Bool?, [MemoryPool.Change]) in
            Self.read(claim, &state.pool)
            let hadWaited = state.pool[claim.id]?.isWaiting == true
            guard change(&state.pool) else { return (nil, []) }
            if state.pool.grantAtOnce(claim.id, at: now) {
                claim.granted.store(state.pool[claim.id]?.granted ?? 0, ordering: .releasing)
                return (true, [])
            }
            if !hadWaited { self.recorder.record(.paused) }
            let changes = Self.grant(&state, at: now)
            return (state.pool[claim.id]?.isWaiting == false, changes)
        }
    }

    private func settle(_ claim: Claim) {
        release(claim) { state in state.pool.settle(claim.id) }
    }

    private func end(_ claim: Claim) {
        release(claim) { state in
            state.pool.end(claim.id)
            state.claims[claim.id] = nil
        }
    }

    private func release(_ claim: Claim, _ change: (inout State) -> Void) {
        let now = time.now
        decide { state in
            Self.read(claim, &state.pool)
            change(&state)
            claim.granted.store(state.pool[claim.id]?.granted ?? 0, ordering: .releasing)
            return ((), Self.grant(&state, at: now))
        }
    }

    // MARK: - Decisions

    /// Makes a decision under the lock, then notifies the files outside of it. While sources wait, looks again after a while: a
    /// source that arrives too slowly keeps its reserved memory only for a limited time.
    private func decide<Result>(_ decision: (inout State) -> (Result, [MemoryPool.Change])) -> Result {
        let (result, steps, isWaitedFor) = state.withLock { state -> (Result, [(MemoryPool.Change, Claim)], Bool) in
            let (result, changes) = decision(&state)
            let steps = changes.compactMap { change in state.claims[change.id].map { (change, $0) } }
            for case (.granted, let claim) in steps { claim.grants.wrappingAdd(1, ordering: .acquiringAndReleasing) }
            return (result, steps, state.pool.isWaitedFor)
        }
        for (change, claim) in steps { notify(claim, of: change) }
        if isWaitedFor { alarm.set(for: time.now + paceDelay) { [weak self] in self?.regrant() } }
        return result
    }

    /// Grants free memory, by the present urgency and bytes of every source.
    private static func grant(_ state: inout State, at now: Instant) -> [MemoryPool.Change] {
        guard state.pool.isWaitedFor else { return [] }
        for claim in state.claims.values { read(claim, &state.pool) }
        let changes = state.pool.grant(at: now)
        for change in changes {
            guard let claim = state.claims[change.id], let reservation = state.pool[change.id] else { continue }
            claim.granted.store(reservation.granted, ordering: .releasing)
        }
        return changes
    }

    private static func read(_ claim: Claim, _ pool: inout MemoryPool) {
        let urgency = claim.deadline.soonest
        pool.update(claim.id) { reservation in
            reservation.urgency = urgency
            reservation.written = claim.written.load(ordering: .acquiring)
            reservation.isOpened = claim.isOpened.load(ordering: .acquiring)
        }
    }

    private func notify(_ claim: Claim, of change: MemoryPool.Change) {
        let file = claim.file.withLock(\.file)
        switch change {
        case .granted: file?.roomHasChanged()
        case .trimmed:
            recorder.record(.trimmed)
            file?.roomHasChanged()
        case .takesBack:
            let isTaken = file?.loseBytes() ?? true
            if isTaken { recorder.record(.tookBack) }
            release(claim) { isTaken ? $0.pool.gaveBack(claim.id) : $0.pool.keep(claim.id) }
        case .ends:
            recorder.record(.ended)
            file?.end(.cut(Self.exhausted))
        }
    }

    private func regrant() {
        let now = time.now
        decide { ((), Self.grant(&$0, at: now)) }
    }

    private static func tooLarge(_ byteCount: Int?, _ largest: Int) -> AttachmentFailure {
        let size = byteCount.map { "has \($0) bytes and" } ?? "is of unknown size and"
        let message = """
            The source \(size) needs more memory than the \(largest) bytes that one source may have here. Send a smaller \
            file, or give the worker more memory; `attachd doctor` says what fits.
            """
        return AttachmentFailure(.download, .resourceLimit, message)
    }

    private static let exhausted = AttachmentFailure(
        .download,
        .resourceLimit,
        "The worker had no memory for the rest of the source. Give it more memory, or add workers.",
    )
}

/// An event of the memory of sources.
package enum SourceMemoryEvent: Sendable, Equatable {
    /// A source waits for memory.
    case paused
    /// A source that came too slowly lost the unused part of its reservation.
    case trimmed
    /// A source lost its bytes, and begins again later.
    case tookBack
    /// A source was cut short, because a decoder reads its bytes and there is no memory for more.
    case ended
}

extension MemoryPool.Change {
    fileprivate var id: Int {
        switch self {
        case .granted(let id), .trimmed(let id), .takesBack(let id), .ends(let id): id
        }
    }
}

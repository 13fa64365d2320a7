package import Base
import Media
import Processing
import ServiceLifecycle
import Synchronization

/// This worker's knowledge of what the fleet has taken back (SECURITY D1).
///
/// The worker holds a lease on it in the queue's store, and renews the lease several times a second. `forget` waits for all
/// workers with a lease. Without one, for example while Redis is away, this worker uses only files that it makes from then on.
package final class FleetKnowledge: Service {
    private struct State {
        var version = FleetVersion.none
        /// The end of the lease, by this machine's clock. It ends no later than the store says.
        var leaseEnd = Instant(sinceOrigin: .zero)
        /// The files that the store does not know yet, because they were made while it did not answer, and their sources.
        var unrecorded: [String: Set<String>] = [:]
        var link: Link?
        var isAway = false
        /// A Boolean value that indicates whether a deletion could not be carried out here.
        var isFailing = false
    }

    /// The fleet's store, and the function that takes back in this process what a mark names.
    private struct Link: Sendable {
        var store: any FleetStore
        var apply: Apply
    }

    private let lifetime: Duration
    private let time: any TimeSource
    private let recorder: any EventRecorder<FleetEvent>
    private let state = Mutex(State())
    /// The permit to ask. Several jobs may want to know at once.
    private let asking = AsyncSemaphore(permits: 1)

    private static let leaseTime: Duration = .seconds(2)
    private static let interval: Duration = .milliseconds(400)
    /// The time limit of a question to the store, and of the record of a file.
    private static let timeLimit: Duration = .seconds(1)
    private static let recordLimit: Duration = .milliseconds(200)
    /// The time limit for all workers to know of a deletion.
    private static let removalLimit: Duration = .seconds(20)
    private static let unrecordedLimit = 16_384
    /// The most sources of one such file.
    private static let sourceLimit = 16

    /// Creates the knowledge, which has no lease until it is connected. `keep` is the longest life of a link.
    package init(keep: Duration, time: any TimeSource = SystemTime(), recorder: any EventRecorder<FleetEvent>) {
        // A link is kept for `keep` after its last use; so is what another worker may still reuse.
        lifetime = keep * 2
        self.time = time
        self.recorder = recorder
    }

    /// A function that takes back in this process what a mark names. At the start, this process has published nothing yet.
    package typealias Apply = @Sendable (FleetMark, _ isAtStart: Bool) async throws -> Void

    /// Sets the fleet's store, and the function that takes back in this process what a mark names.
    package func connect(_ store: any FleetStore, apply: @escaping Apply) {
        state.withLock { $0.link = Link(store: store, apply: apply) }
    }

    /// A Boolean value that indicates whether this worker knows all that was taken back.
    package var isCurrent: Bool { state.withLock { isCurrent($0) } }

    /// Returns whether a ready file may be sent to a client.
    package func mayServe(_ file: String) -> Bool { state.withLock { isCurrent($0) || $0.unrecorded[file] != nil } }

    // MARK: - This worker

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            repeat { await learn() } while (try? await time.sleep(for: Self.interval)) != nil
        }
        state.withLock { $0.leaseEnd = Instant(sinceOrigin: .zero) }
        guard let store = state.withLock(\.link?.store) else { return }
        // If this fails, the lease ends by itself.
        _ = try? await answer { try await store.marks(after: .none, leaseTime: nil) }
    }

    /// Takes back what others have taken back since, and renews the lease.
    package func learn() async {
        guard let link = state.withLock(\.link), (try? await asking.acquire()) != nil else { return }
        defer { asking.release() }
        do {
            let rest = state.withLock(\.unrecorded)
            try await record(rest, in: link.store)
            while true {
                let asked = time.now
                let (version, hadLease) = state.withLock { ($0.version, asked < $0.leaseEnd) }
                let marks = try await answer { try await link.store.marks(after: version, leaseTime: Self.leaseTime) }
                // Later deletions wait for this worker. Without a lease, it may have missed earlier ones, which come first.
                if hadLease || marks.isEmpty { renew(from: asked) }
                guard !marks.isEmpty else { return forgetRecorded(rest) }
                try await apply(marks, by: link)
            }
        } catch {
            let isNew = state.withLock { state in
                guard !state.isAway, !isCurrent(state) else { return false }
                state.isAway = true
                return true
            }
            if isNew { recorder.record(.cutOff(error)) }
        }
    }

    /// Takes back what the marks name, and renews the lease meanwhile: to remove objects from a bucket may take long.
    private func apply(_ marks: [FleetMark], by link: Link) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while (try? await time.sleep(for: Self.interval)) != nil { await keepLease(in: link.store) }
            }
            defer { group.cancelAll() }
            for var mark in marks {
                // With those that the store did not know when it made the mark.
                let isAtStart = state.withLock { state in
                    let made = state.unrecorded.filter { $0.value.contains(mark.source ?? "") }
                    mark.files += made.keys
                    // A process that made nothing yet has published nothing.
                    return state.leaseEnd == Instant(sinceOrigin: .zero) && state.unrecorded.isEmpty
                }
                do {
                    try await link.apply(mark, isAtStart)
                } catch {
                    warn(of: error)
                    throw error
                }
                state.withLock { ($0.version, $0.isFailing) = (mark.version, false) }
            }
        }
    }

    /// Records once that a deletion could not be carried out here.
    private func warn(of error: any Error) {
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew { recorder.record(.takingBackFailed(error)) }
    }

    /// Renews the lease if this worker still has it, for the marks that it knows.
    private func keepLease(in store: any FleetStore) async {
        let asked = time.now
        let (version, hasLease) = state.withLock { ($0.version, asked < $0.leaseEnd) }
        guard hasLease, (try? await answer { try await store.marks(after: version, leaseTime: Self.leaseTime) }) != nil
        else { return }
        state.withLock { $0.leaseEnd = max($0.leaseEnd, asked + Self.leaseTime) }
    }

    /// Asks the store, if this worker is not current. A worker that gets jobs from the store can ask it, too.
    package func catchUp() async {
        guard !isCurrent else { return }
        await time.answer(by: time.now + Self.recordLimit) {
            if !self.isCurrent { await self.learn() }
        } else: {
        }
    }

    private func isCurrent(_ state: borrowing State) -> Bool { time.now < state.leaseEnd }

    private func renew(from asked: Instant) {
        state.withLock { state in
            state.leaseEnd = asked + Self.leaseTime
            state.isAway = false
        }
    }

    /// Records a file that was just made, before anybody gets it. `source` is the source's name in the fleet.
    package func record(_ file: String, of source: String) async {
        if isCurrent, let store = state.withLock(\.link?.store) {
            let isDone = await time.answer(by: time.now + Self.recordLimit) { [lifetime] in
                (try? await store.record(file, of: source, for: lifetime)) != nil
            } else: {
                false
            }
            if isDone { return }
        }
        state.withLock { state in
            // Beyond the limit, the file is not served until there is a lease again.
            guard state.unrecorded[file] != nil || state.unrecorded.count < Self.unrecordedLimit else { return }
            if state.unrecorded[file, default: []].count < Self.sourceLimit {
                state.unrecorded[file, default: []].insert(source)
            }
        }
    }

    private func record(_ rest: [String: Set<String>], in store: any FleetStore) async throws {
        for (file, sources) in rest {
            for source in sources {
                try await answer { [lifetime] in try await store.record(file, of: source, for: lifetime) }
            }
        }
    }

    /// Drops what the store knows now.
    private func forgetRecorded(_ rest: [String: Set<String>]) {
        state.withLock { state in
            for (file, sources) in rest where state.unrecorded[file] == sources { state.unrecorded[file] = nil }
        }
    }

    // MARK: - Taking back

    /// Takes files and a source back in the whole fleet, and in this process with `remove`. Returns when no worker with a lease
    /// has them, with all files, the number of workers, and whether any of it was known.
    ///
    /// Work that began before may end until its worker knows the mark. What it made is taken back, too. One more look finds it:
    /// what is made later is made anew, and a source may give another picture each time.
    package func takeBack(
        _ files: Set<String>,
        source: String?,
        remove: (Set<String>) async throws -> Void,
    ) async throws -> (files: Set<String>, workers: Int, first: TakenBack) {
        func takeBackOnce(_ files: Set<String>) async throws -> (workers: Int, taken: TakenBack) {
            let taken = try await takeBack(files.sorted(), source: source)
            try await remove(files.union(taken.mark.files))
            return (try await whenKnown(taken.mark), taken)
        }
        let (workers, first) = try await takeBackOnce(files)
        let all = files.union(first.mark.files)
        let later = Set(try await self.files(of: source)).subtracting(all)
        guard !later.isEmpty else { return (all, workers, first) }
        return (all.union(later), try await takeBackOnce(later).workers, first)
    }

    private func files(of source: String?) async throws -> [String] {
        guard let source, let store = state.withLock(\.link?.store) else { return [] }
        return try await answer { try await store.files(of: source) }
    }

    /// Marks these files and this source as taken back in the whole fleet.
    package func takeBack(_ files: [String], source: String?) async throws -> TakenBack {
        guard let store = state.withLock(\.link?.store) else { throw Self.isApart }
        return try await answer { [lifetime] in try await store.takeBack(files, source: source, for: lifetime) }
    }

    /// Waits until all workers with a lease know the mark. Returns their number.
    package func whenKnown(_ mark: FleetMark) async throws -> Int {
        guard let store = state.withLock(\.link?.store) else { throw Self.isApart }
        let end = time.now + Self.removalLimit
        while true {
            let (live, behind) = try await answer { try await store.workers(knowing: mark.version) }
            guard behind > 0 else { return live }
            guard time.now < end else {
                let message = "\(behind) of \(live) workers have not taken the attachment back yet. Take it back again."
                throw AttachmentFailure(.store, .publishFailed, message)
            }
            try await time.sleep(for: .milliseconds(50))
        }
    }

    private static let isApart = JobQueueError(
        .unavailable,
        "The queue is not open yet. Take the attachment back again."
    )

    private func answer<Value: Sendable>(_ question: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let late = JobQueueError(.unavailable, "The queue's Redis did not answer in time.")
        return try await time.answer(by: time.now + Self.timeLimit, orThrow: late, question)
    }
}

/// An event of a worker's knowledge of deletions.
package enum FleetEvent: Sendable {
    /// The store cannot be asked, and the lease has ended.
    case cutOff(any Error)
    /// A mark could not be applied here. It is tried again.
    case takingBackFailed(any Error)
}

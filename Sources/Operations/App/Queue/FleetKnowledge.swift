import Base
import Files
import Jobs
import Logging
import Media
import Processing
import ServiceLifecycle
import Storage
import Synchronization

/// This worker's knowledge of what the fleet has taken back (SECURITY D1).
///
/// The worker holds a lease on it in the queue's store, and renews the lease several times a second. `forget` waits for all
/// workers with a lease. Without one, for example while Redis is away, this worker uses only files that it makes from then on.
final class FleetKnowledge: Service {
    private struct State {
        var version = FleetVersion.none
        /// The end of the lease, by this machine's clock. It ends no later than the store says.
        var leaseEnd = Instant(sinceOrigin: .zero)
        /// The files that were made without a lease, until there is one again.
        var anew: Set<String> = []
        /// The files that the store does not know yet, with their sources.
        var unrecorded: [Made] = []
        var link: Link?
        var isAway = false
    }

    private struct Made: Hashable, Sendable {
        var file: String
        var source: String
    }

    /// The fleet's store, and the function that takes back in this process what a mark names.
    private struct Link: Sendable {
        var store: any FleetStore
        var apply: @Sendable (FleetMark) async throws -> Void
    }

    private let lifetime: Duration
    private let time: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())

    private static let leaseTime: Duration = .seconds(2)
    private static let interval: Duration = .milliseconds(400)
    /// The time limit of a question to the store, and of the record of a file.
    private static let timeLimit: Duration = .seconds(1)
    private static let recordLimit: Duration = .milliseconds(200)
    /// The time limit for all workers to know of a deletion.
    private static let removalLimit: Duration = .seconds(20)
    private static let unrecordedLimit = 16_384

    /// Creates the knowledge, which has no lease until it is connected. `keep` is the longest life of a link.
    init(keep: Duration, time: any TimeSource = SystemTime(), logger: Logger) {
        // A link is kept for `keep` after its last use; so is what another worker may still reuse.
        lifetime = keep * 2
        self.time = time
        self.logger = logger
    }

    /// Sets the fleet's store, and the function that takes back in this process what a mark names.
    func connect(_ store: any FleetStore, apply: @escaping @Sendable (FleetMark) async throws -> Void) {
        state.withLock { $0.link = Link(store: store, apply: apply) }
    }

    /// A Boolean value that indicates whether this worker knows all that was taken back.
    var isCurrent: Bool {
        let now = time.now
        return state.withLock { now < $0.leaseEnd }
    }

    /// Returns whether a ready file may be sent to a client.
    func mayServe(_ file: AttachmentIdentifier) -> Bool {
        let now = time.now
        return state.withLock { now < $0.leaseEnd || $0.anew.contains(file.description) }
    }

    /// Returns the name of a source in the fleet: a digest, because a source that was taken back is to be forgotten.
    static func name(ofSource identity: String) -> String {
        Hexadecimal.text(Array(SHA256.digest(of: Array("attachd source\n\(identity)".utf8)).prefix(16)))
    }

    // MARK: - This worker

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            repeat { await learn() } while (try? await time.sleep(for: Self.interval)) != nil
        }
        guard let link = state.withLock(\.link) else { return }
        _ = try? await link.store.marks(after: .none, leaseTime: nil)
    }

    /// Takes back what others have taken back since, and renews the lease.
    func learn() async {
        guard let link = state.withLock(\.link) else { return }
        do {
            let rest = state.withLock(\.unrecorded)
            try await record(rest, in: link.store)
            while true {
                let asked = time.now
                let (version, hadLease) = state.withLock { ($0.version, asked < $0.leaseEnd) }
                let marks = try await answer { try await link.store.marks(after: version, leaseTime: Self.leaseTime) }
                // Whoever takes something back waits for this worker from now on. What came before must be done first.
                if hadLease || marks.isEmpty { renew(from: asked) }
                guard !marks.isEmpty else {
                    let recorded = Set(rest)
                    return state.withLock { $0.unrecorded.removeAll(where: recorded.contains) }
                }
                try await apply(marks, by: link)
            }
        } catch {
            guard state.withLock({ $0.isAway ? false : !isCurrent($0) }) else { return }
            state.withLock { $0.isAway = true }
            logger.warning(
                "attachd cannot ask what the fleet has taken back. Until it can, it makes each attachment anew, and serves no earlier file.",
                metadata: ["reason": "\(error)"]
            )
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
                mark.files += state.withLock { $0.unrecorded.filter { $0.source == mark.source } }.map(\.file)
                try await link.apply(mark)
                state.withLock { $0.version = mark.version }
            }
        }
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
    func catchUp() async {
        guard !isCurrent else { return }
        await time.answer(by: time.now + Self.recordLimit) {
            await self.learn()
        } else: {
        }
    }

    private func isCurrent(_ state: borrowing State) -> Bool { time.now < state.leaseEnd }

    private func renew(from asked: Instant) {
        state.withLock { state in
            state.leaseEnd = asked + Self.leaseTime
            state.anew = []
            state.isAway = false
        }
    }

    /// Records a file that was just made, before anybody gets it.
    func record(_ file: AttachmentIdentifier, of source: String) async {
        let made = Made(file: file.description, source: Self.name(ofSource: source))
        if isCurrent, let store = state.withLock(\.link?.store) {
            let lifetime = lifetime
            let isDone = await time.answer(by: time.now + Self.recordLimit) {
                (try? await store.record(made.file, of: made.source, for: lifetime)) != nil
            } else: {
                false
            }
            if isDone { return }
        }
        state.withLock { state in
            if state.unrecorded.count < Self.unrecordedLimit { state.unrecorded.append(made) }
            state.anew.insert(made.file)
        }
    }

    private func record(_ rest: [Made], in store: any FleetStore) async throws {
        for made in rest {
            try await answer { [lifetime] in try await store.record(made.file, of: made.source, for: lifetime) }
        }
    }

    // MARK: - Taking back

    /// Marks these files and this source as taken back in the whole fleet.
    func takeBack(_ files: [String], source: String?) async throws -> TakenBack {
        guard let store = state.withLock(\.link?.store) else { throw Self.isApart }
        let lifetime = lifetime
        return try await answer {
            try await store.takeBack(files, source: source.map(Self.name(ofSource:)), for: lifetime)
        }
    }

    /// Waits until all workers with a lease know the mark. Returns their number.
    func whenKnown(_ mark: FleetMark) async throws -> Int {
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
        try await time.answer(by: time.now + Self.timeLimit) {
            do { return Result<Value, any Error>.success(try await question()) } catch { return .failure(error) }
        } else: {
            .failure(JobQueueError(.unavailable, "The queue's Redis did not answer in time."))
        }
        .get()
    }
}

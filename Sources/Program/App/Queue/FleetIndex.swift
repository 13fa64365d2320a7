import Base
import Files
import Jobs
import Media
import Payloads
import Processing
import Storage
import Synchronization

/// The index of prepared attachments in the fleet's store, for a fleet whose workers publish to one bucket.
final class FleetIndex: PreparedIndex {
    private struct State {
        var fleet: (any FleetStore)?
        /// The time until which the fleet's store is not asked, because it did not answer.
        var pausedUntil = Instant(sinceOrigin: .zero)
    }

    private let bucket: Bucket
    private let store: AttachmentStore
    private let publicURL: String
    private let lifetime: Duration
    private let time = SystemTime()
    private let state = Mutex(State())

    /// The time limit of a question. An attachment is made again rather than late.
    private static let questionLimit: Duration = .milliseconds(100)
    /// The time limit of taking an attachment back.
    private static let removalLimit: Duration = .seconds(1)
    /// The most bytes of an entry that is read: inline pictures are the most of it.
    private static let entryLimit = 16_384
    /// The time for which nothing is asked after a question without an answer.
    private static let pause: Duration = .seconds(5)

    /// Creates an index that knows nothing until it is connected. `lifetime` is the longest time for which an entry is
    /// useful.
    init(bucket: Bucket, store: AttachmentStore, publicURL: String, lifetime: Duration) {
        self.bucket = bucket
        self.store = store
        self.publicURL = publicURL
        self.lifetime = lifetime
    }

    /// Sets the store that has the index.
    func connect(_ fleet: any FleetStore) { state.withLock { $0.fleet = fleet } }

    func find(_ name: PreparedName, within timeLimit: Duration) async -> PreparedAttachment? {
        let now = time.now
        guard let fleet = state.withLock({ $0.pausedUntil <= now ? $0.fleet : nil }) else { return nil }
        let (table, field) = (table(of: name.source), digest(name.output))
        let answer = await time.answer(by: now + min(timeLimit, Self.questionLimit)) { [self] in
            guard let entry = try? await fleet.value(of: field, in: table) else { return Answer(isThere: true) }
            return Answer(found: read(entry), isThere: true)
        } else: {
            Answer(isThere: false)
        }
        if !answer.isThere, timeLimit >= Self.questionLimit { state.withLock { $0.pausedUntil = now + Self.pause } }
        guard let found = answer.found, let file = AttachmentIdentifier(found.stored.identifier),
            await !store.isForgotten(file), (try? await store.record(file, of: name.source)) != nil
        else { return nil }
        bucket.adopt(found.stored.identifier, for: found.until.sinceEpoch - UnixTime.now.sinceEpoch)
        return found
    }

    func add(_ attachment: PreparedAttachment, as name: PreparedName, within timeLimit: Duration) async -> Bool {
        let (table, field) = (table(of: name.source), digest(name.output))
        let (value, lifetime) = (attachment.json.compactBytes, lifetime)
        return await change(within: timeLimit) { fleet in
            try await fleet.set(field, in: table, to: value, for: lifetime)
        }
    }

    func forget(source: String) async {
        let table = table(of: source)
        _ = await change(within: Self.removalLimit) { try await $0.remove(table: table) }
    }

    /// Changes the index. Returns `false` if that was not done in time.
    private func change(
        within timeLimit: Duration,
        _ change: @escaping @Sendable (any FleetStore) async throws -> Void,
    ) async -> Bool {
        guard let fleet = state.withLock(\.fleet) else { return false }
        return await time.answer(by: time.now + timeLimit) {
            (try? await change(fleet)) != nil
        } else: {
            false
        }
    }

    /// Reads an entry that is still useful.
    private func read(_ bytes: [UInt8]) -> PreparedAttachment? {
        guard bytes.count <= Self.entryLimit, let json = try? JSONValue(parsing: bytes),
            let found = PreparedAttachment(json, url: { "\(publicURL)/\($0)" }), found.until > .now
        else { return nil }
        return found
    }

    private struct Answer: Sendable {
        var found: PreparedAttachment?
        /// A Boolean value that indicates whether there was an answer in time.
        var isThere: Bool
    }

    private func table(of source: String) -> String { "ready:\(digest(source))" }

    /// Returns a short name for a text of any length. It keeps apart what another version might make in another way, and
    /// what is in another bucket.
    private func digest(_ text: String) -> String {
        let all = "\(Version.number)\n\(bucket.address)\n\(publicURL)\n\(text)"
        return Hexadecimal.text(Array(SHA256.digest(of: Array(all.utf8)).prefix(16)))
    }
}

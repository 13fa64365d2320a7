import Digests
import JobsRedis
import Payloads
import Processing
import Publishing
import ServiceExtension
import Storage
import Synchronization
import Timing

/// The index of prepared attachments in the queue's Redis, for a fleet whose workers publish to one bucket.
final class FleetIndex: PreparedIndex {
    private struct State {
        var queue: RedisJobQueue?
        /// The time until which Redis is not asked, because it did not answer.
        var pausedUntil = Instant(sinceOrigin: .zero)
    }

    private let bucket: Bucket
    private let store: AttachmentStore
    private let publicURL: String
    private let lifetime: Duration
    private let time = SystemTime()
    private let state = Mutex(State())

    /// The time limit of a question. An attachment is made again rather than late.
    private static let patience: Duration = .milliseconds(100)
    /// The time limit of an entry, for which somebody waits before a campaign.
    private static let writingPatience: Duration = .seconds(5)
    /// The time for which nothing is asked after a question without an answer.
    private static let pause: Duration = .seconds(5)

    /// Creates an index that knows nothing until it has a queue. `lifetime` is the longest time for which an entry is
    /// useful.
    init(bucket: Bucket, store: AttachmentStore, publicURL: String, lifetime: Duration) {
        self.bucket = bucket
        self.store = store
        self.publicURL = publicURL
        self.lifetime = lifetime
    }

    /// Sets the queue in whose Redis the index is.
    func connect(_ queue: RedisJobQueue) { state.withLock { $0.queue = queue } }

    func find(_ name: PreparedName) async -> PreparedAttachment? {
        let now = time.now
        guard let queue = state.withLock({ $0.pausedUntil <= now ? $0.queue : nil }) else { return nil }
        let (table, field) = (Self.table(of: name.source), Self.digest(name.output))
        let answer = await time.answer(by: now + Self.patience) {
            Answer(value: try? await queue.value(of: field, in: table), isThere: true)
        } else: {
            Answer(value: nil, isThere: false)
        }
        if !answer.isThere { state.withLock { $0.pausedUntil = now + Self.pause } }
        guard let bytes = answer.value.flatMap(\.self), let json = try? JSONValue(parsing: bytes),
            let found = PreparedAttachment(json, url: { "\(publicURL)/\($0)" }), found.until > .now,
            let file = AttachmentIdentifier(found.stored.identifier), !store.isForgotten(file)
        else { return nil }
        bucket.adopt(found.stored.identifier)
        return found
    }

    func add(_ attachment: PreparedAttachment, as name: PreparedName) async -> Bool {
        guard let queue = state.withLock(\.queue) else { return false }
        let (table, field) = (Self.table(of: name.source), Self.digest(name.output))
        let (value, lifetime) = (attachment.json.compactBytes, lifetime)
        return await time.answer(by: time.now + Self.writingPatience) {
            (try? await queue.set(field, in: table, to: value, for: lifetime)) != nil
        } else: {
            false
        }
    }

    func forget(source: String) async {
        guard let queue = state.withLock(\.queue) else { return }
        let table = Self.table(of: source)
        _ = await time.answer(by: time.now + Self.writingPatience) {
            (try? await queue.remove(table: table)) != nil
        } else: {
            false
        }
    }

    private struct Answer: Sendable {
        var value: [UInt8]??
        /// A Boolean value that indicates whether there was an answer in time.
        var isThere: Bool
    }

    private static func table(of source: String) -> String { "ready:\(digest(source))" }

    /// Returns a short name for a text of any length. This version's number keeps apart what another version might make
    /// in another way.
    private static func digest(_ text: String) -> String {
        Hexadecimal.text(Array(SHA256.digest(of: Array("\(Version.number)\n\(text)".utf8)).prefix(16)))
    }
}

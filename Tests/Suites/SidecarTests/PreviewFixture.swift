import Base
import Media
import Preview
import Sidecar
import Storage
import Support
import Synchronization

/// The data of a sidecar's preview: a store with one file, categories, and a webhook that records its requests.
final class PreviewFixture: Sendable {
    let folder: TemporaryFolder
    let store: AttachmentStore
    let holds: AccessHolds
    let file: AttachmentIdentifier
    let webhook: TestWebhook?
    let jobs: [RecentJobs.Entry]
    let clock = TestUnixClock(.now)

    static let content = Array("picture".utf8)

    init(webhook: TestWebhook? = nil, jobs: [RecentJobs.Entry] = []) async throws {
        folder = try TemporaryFolder()
        store = try AttachmentStore(at: folder.path)
        file = try await store.store(ReadyRung(Self.content)).identifier
        self.webhook = webhook
        self.jobs = jobs
        holds = AccessHolds(store: store) { [clock] in clock.now }
    }

    var categories: [NotificationCategory] {
        let layout =
            "<style nonce=\"{{nonce}}\"></style><p title=\"{{body}}\">{{#attachments}}{{url}}{{/attachments}}</p>"
        return [
            NotificationCategory(
                identifier: "invite",
                actions: [
                    NotificationAction(identifier: "accept", title: "Accept"),
                    NotificationAction(identifier: "comment", title: "Comment", textInput: .init()),
                ],
                layout: try? LayoutTemplate(layout),
            )
        ]
    }

    func routes(needsToken: Bool) -> PreviewRoutes {
        PreviewRoutes(
            choices: .init(profiles: ["apns"], deadline: "25s", needsToken: needsToken, hasWebhook: webhook != nil),
            categories: categories,
            store: store,
            holds: holds,
            jobs: { [jobs] in jobs },
        )
    }
}

/// A calendar clock that a test sets.
final class TestUnixClock: Sendable {
    private let time: Mutex<UnixTime>

    init(_ time: UnixTime) { self.time = Mutex(time) }

    var now: UnixTime { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// A webhook with one answer for everything.
final class TestWebhook: ResponsePoster {
    private let answer: Result<String, AttachmentFailure>
    private let posts = Mutex<[[UInt8]]>([])

    init(_ answer: String) { self.answer = .success(answer) }

    init(_ failure: AttachmentFailure) { answer = .failure(failure) }

    var posted: [String] { posts.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8] {
        posts.withLock { $0.append(response) }
        return Array(try answer.get().utf8)
    }
}

import Base
import Mustache
import Synchronization
import Templates

/// The HTML of the preview: the page and its fragments.
package struct PreviewPage: Sendable {
    /// The choices that the page offers.
    package struct Choices: Sendable {
        package var profiles: [String]
        /// The default deadline, such as `25s`.
        package var deadline: String
        package var needsToken: Bool
        /// A Boolean value that indicates whether responses go to a webhook.
        package var hasWebhook: Bool

        package init(profiles: [String], deadline: String, needsToken: Bool, hasWebhook: Bool) {
            self.profiles = profiles
            self.deadline = deadline
            self.needsToken = needsToken
            self.hasWebhook = hasWebhook
        }
    }

    private let templates = PreviewTemplates()
    package let html: String

    package init(_ choices: Choices) {
        html = templates.render(
            [
                "samples": PreviewSample.all, "profiles": choices.profiles, "deadline": choices.deadline,
                "needsToken": choices.needsToken, "hasWebhook": choices.hasWebhook,
            ] as [String: Any],
            "page",
        )
    }

    /// Returns the login page. `isWrong` indicates that the previous token was wrong.
    package func login(isWrong: Bool) -> String { templates.render(["isWrong": isWrong], "login") }

    /// Returns the fragment for one processed notification.
    package func fragment(_ result: ResultView) -> String { templates.render(result, "result") }
}

// MARK: - Templates

/// The page's templates, embedded in the program.
struct PreviewTemplates: Sendable {
    private let library: MustacheLibrary

    init() {
        let sources = [
            "page": PackageResources.page_mustache, "login": PackageResources.login_mustache,
            "result": PackageResources.result_mustache, "card": PackageResources.card_mustache,
            "words": PackageResources.words_mustache, "player": PackageResources.player_mustache,
            "expanded": PackageResources.expanded_mustache, "report": PackageResources.report_mustache,
        ]
        library = MustacheLibrary(templates: sources.mapValues { HTMLText.template(embedded: $0) })
    }

    func render(_ object: Any, _ name: String) -> String { library.render(object, withTemplate: name) ?? "" }
}

// MARK: - Assets

/// The files that the page loads, embedded in the program.
package enum PreviewAssets {
    package struct Asset: Sendable {
        package var bytes: [UInt8]
        package var type: String
    }

    private static let all: [String: Asset] = [
        "page.css": Asset(bytes: PackageResources.page_css, type: style),
        "notification.css": Asset(bytes: PackageResources.notification_css, type: style),
        "icon.svg": Asset(bytes: PackageResources.icon_svg, type: "image/svg+xml"),
        "page.js": Asset(bytes: PackageResources.page_js, type: script),
        "json.js": Asset(bytes: PackageResources.json_js, type: script),
        "link.js": Asset(bytes: PackageResources.link_js, type: script),
        "stage.js": Asset(bytes: PackageResources.stage_js, type: script),
        "lease.js": Asset(bytes: PackageResources.lease_js, type: script),
        "thumbnail.js": Asset(bytes: PackageResources.thumbnail_js, type: script),
        "layout.js": Asset(bytes: PackageResources.layout_js, type: script),
        "responses.js": Asset(bytes: PackageResources.responses_js, type: script),
        "exchange.js": Asset(bytes: PackageResources.exchange_js, type: script),
    ]

    private static let style = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"

    package static func asset(named name: String) -> Asset? { all[name] }
}

// MARK: - Samples

/// A sample payload: one of `Samples/payloads`, embedded in the program.
struct PreviewSample {
    let name: String
    let title: String
    let payload: String

    static let all: [PreviewSample] = [
        sample("photo", "A photo", PackageResources.photo_json),
        sample("event-invite", "An invitation, with actions", PackageResources.event_invite_json),
        sample("message", "A message to reply to", PackageResources.message_json),
        sample("animation", "An animation", PackageResources.animation_json),
        sample("video", "A video", PackageResources.video_json),
        sample("sound", "A voice message", PackageResources.sound_json),
        sample("airship", "Airship, with a cropped thumbnail", PackageResources.airship_json),
        sample("braze", "Braze", PackageResources.braze_json),
        sample("fcm-message", "Firebase, for three platforms", PackageResources.fcm_message_json),
        sample("gorush", "gorush", PackageResources.gorush_json),
        sample("home-assistant", "Home Assistant", PackageResources.home_assistant_json),
        sample("onesignal", "OneSignal, with two photos", PackageResources.onesignal_json),
    ]

    private static func sample(_ name: String, _ title: String, _ bytes: [UInt8]) -> PreviewSample {
        PreviewSample(name: name, title: title, payload: String(decoding: bytes, as: UTF8.self))
    }
}

// MARK: - Recent jobs

/// The latest jobs that this process answered, in memory, for display in the preview.
package final class RecentJobs: Sendable {
    package struct Entry: Sendable, Equatable {
        package var id: String
        /// The envelope of `POST /v1/jobs`.
        package var content: [UInt8]

        package init(id: String, content: [UInt8]) {
            self.id = id
            self.content = content
        }
    }

    /// The maximum number of entries, of at most 64 KiB each.
    private static let limit = 20

    private let state = Mutex(BoundedTable<String, Entry>(entryLimit: limit))

    package init() {}

    /// The entries, newest first.
    package var entries: [Entry] { state.withLock { $0.oldestFirst.map(\.value).reversed() } }

    package func note(_ entry: Entry) { state.withLock { $0.insert(entry, for: entry.id) } }
}

import Payloads
import Processing

/// The notification on a platform other than Apple's, for which the message has attachments of its own.
struct PlatformView {
    let name: String
    let heading: String
    let title: ContentView.Text
    let body: ContentView.Text
    let picture: AttachmentView?
    /// The picture beside the text, in a browser.
    let icon: AttachmentView?

    private struct Kind {
        let name: String
        let heading: String
        /// The profiles of the platform's picture and of its icon.
        let picture: String
        let icon: String?

        static let all = [
            Kind(name: "android", heading: "Android", picture: "fcm", icon: nil),
            Kind(name: "web", heading: "Web browser", picture: "webpush", icon: "webpush-icon"),
        ]

        func contains(_ profile: String?) -> Bool {
            profile != nil && (profile == picture || profile == icon)
        }
    }

    /// Returns whether an attachment is only for other platforms than Apple's.
    static func isForOthers(_ attachment: AttachmentRequest) -> Bool {
        attachment.isForOthersOnly || Kind.all.contains { $0.contains(attachment.profile) }
    }

    /// Returns the platforms for which a message has attachments, even if none was delivered.
    static func all(_ result: ProcessingResult, _ attachments: [AttachmentView]) -> [PlatformView] {
        let notification = result.request.notification
        return Kind.all.compactMap { kind in
            guard let request = notification.attachments.first(where: { kind.contains($0.profile) }) else { return nil }
            return PlatformView(kind, request, in: notification.payload, attachments)
        }
    }

    private init(
        _ kind: Kind,
        _ request: AttachmentRequest,
        in payload: JSONValue,
        _ attachments: [AttachmentView],
    ) {
        func shown(_ profile: String?) -> AttachmentView? {
            profile.flatMap { profile in attachments.first { $0.platform == profile && $0.isImage } }
        }
        name = kind.name
        heading = kind.heading
        picture = shown(kind.picture)
        icon = shown(kind.icon)
        // The platform's own texts are beside its picture. Without them, those for all platforms count.
        let own = payload.value(at: JSONPointer(tokens: request.pointers.url.tokens.dropLast())) ?? .null
        let common = ShownContent.fields(of: payload)
        let apple = ShownContent(payload)
        let title = ShownText(own, "title", locKey: "title-loc") ?? ShownText(common, "title", locKey: "title-loc")
        let body =
            ShownText(own, "body", locKey: "body-loc") ?? ShownText(own, "message", locKey: "loc")
            ?? ShownText(common, "body", locKey: "body-loc") ?? ShownText(common, "message", locKey: "loc")
        self.title = ContentView.Text(title ?? apple.title, before: title ?? apple.title)
        self.body = ContentView.Text(body ?? apple.body, before: body ?? apple.body)
    }
}

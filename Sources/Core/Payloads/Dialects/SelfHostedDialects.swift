import Media

// MARK: - Home Assistant

extension Dialect {
    /// The form of Home Assistant. The type is one of its own words or a uniform type identifier. Only the app may
    /// fetch a URL that starts with `/`, with its password.
    package static let homeAssistant = Dialect(
        name: "home-assistant",
        title: "Home Assistant",
        source: "home-assistant/iOS@d722d78, NotificationAttachments; companion.home-assistant@f47ce30, "
            + "docs/notifications/attachments.md",
        paths: [
            AttachmentPath(
                url: "/attachment/url",
                companions: [CompanionField("/attachment/content-type", .words(homeAssistantWords))],
                options: OptionFields(thumbnailHidden: "/attachment/hide-thumbnail"),
                isAbsolute: true,
            )
        ],
    )

    /// The call of a notify service, which Home Assistant sends to its relay. For Apple devices the relay takes the first
    /// of `attachment`, `video`, `image` and `audio`, with a type for each of the last three where `attachment` has
    /// none. Only the app may fetch a URL that starts with `/`.
    package static let homeAssistantRequest = Dialect(
        name: "home-assistant-request",
        title: "Home Assistant, call of a notify service",
        source: "home-assistant/mobile-apps-fcm-push@0167f1f, functions/legacy.js; companion.home-assistant@04836fc, "
            + "docs/notifications/attachments.md",
        layout: RequestLayout(
            mark: [["/message"], ["/data/image", "/data/video", "/data/audio", "/data/attachment/url"]],
            payloads: nil,
            gate: GateRule(alerts: ["/message", "/title"]),
            category: "/data/push/category",
            measure: .nothing,
        ),
        paths: [
            homeAssistantPath("attachment/url", profile: "apns", options: "/data/attachment/hide-thumbnail"),
            homeAssistantPath("video", profile: "apns", implied: "mpeg4", after: ["attachment/url"]),
            homeAssistantPath("image", profile: "fcm", implied: "jpeg", after: ["attachment/url", "video"]),
            homeAssistantPath(
                "audio",
                profile: "apns",
                implied: "waveformaudio",
                after: ["attachment/url", "video", "image"],
            ),
        ],
    )

    private static func homeAssistantPath(
        _ field: String,
        profile: String,
        options hidden: JSONPattern? = nil,
        implied: String? = nil,
        after earlier: [String] = [],
    ) -> AttachmentPath {
        AttachmentPath(
            url: "/data/\(field)",
            companions: [
                CompanionField(
                    "/data/attachment/content-type",
                    .words(homeAssistantWords),
                    implied: implied,
                    unless: earlier.map { "/data/\($0)" },
                )
            ],
            options: OptionFields(thumbnailHidden: hidden),
            isAbsolute: true,
            list: nil,
            profile: profile,
        )
    }

    private static let homeAssistantWords: [MediaFormat: String] = [
        .jpeg: "jpeg", .png: "png", .gif: "gif", .mp4: "mpeg4", .avi: "avi", .mpegProgramStream: "mpeg",
        .mp3: "mp3", .m4a: "mpeg4audio", .wav: "waveformaudio", .aiff: "aiff",
    ]
}

// MARK: - ntfy

extension Dialect {
    /// The form of ntfy. All values are strings, including the size.
    package static let ntfy = Dialect(
        name: "ntfy",
        title: "ntfy",
        source: "binwiederhier/ntfy@81a486a, server/server_firebase.go",
        paths: [
            AttachmentPath(
                url: "/attachment_url",
                companions: [
                    CompanionField("/attachment_type", .mimeType),
                    CompanionField("/attachment_name", .filename),
                    CompanionField("/attachment_size", .byteCount),
                    CompanionField("/attachment_expires", .expiry),
                ],
            )
        ],
    )

    /// A message that is published as JSON. The server and the apps take the attachment's type from its name.
    package static let ntfyRequest = Dialect(
        name: "ntfy-request",
        title: "ntfy, message published as JSON",
        source: "binwiederhier/ntfy@01fd475, server/types.go (publishMessage); docs/publish.md",
        layout: RequestLayout(
            mark: [["/topic"], ["/attach", "/icon", "/message"]],
            payloads: nil,
            gate: .alwaysOpen,
            measure: .nothing,
        ),
        paths: [
            AttachmentPath(url: "/attach", companions: [CompanionField("/filename", .filename)], list: nil),
            .other("/icon", profile: "webpush-icon"),
        ],
    )
}

// MARK: - Bark

extension Dialect {
    /// The payload of Bark, whose extension attaches the picture, and shows the icon as that of a sender.
    package static let bark = Dialect(
        name: "bark",
        title: "Bark",
        source:
            "Finb/Bark@0238cac, NotificationServiceExtension/Processor/ImageProcessor.swift; @1e89b6e, IconProcessor.swift",
        paths: [
            AttachmentPath(url: "/image", isAbsolute: true, isBesideAPS: true),
            AttachmentPath(url: "/icon", isAbsolute: true, isBesideAPS: true, list: nil, profile: "webpush-icon"),
        ],
    )

    /// A message for a Bark server, which passes its fields on to the payload.
    package static let barkRequest = Dialect(
        name: "bark-request",
        title: "Bark, message for its server",
        source: "Finb/bark-server@0fea576, docs/API_V2.md; @78f2e02, route_push.go",
        layout: RequestLayout(
            mark: [["/device_key", "/device_keys"], ["/title", "/subtitle", "/body", "/markdown"]],
            payloads: nil,
            gate: .alwaysOpen,
            measure: .whole,
        ),
        paths: [
            AttachmentPath(url: "/image", isAbsolute: true, list: nil),
            AttachmentPath(url: "/icon", isAbsolute: true, list: nil, profile: "webpush-icon"),
        ],
    )
}

// MARK: - Apprise

extension Dialect {
    /// A notification for an Apprise server, which fetches the attachments and hands them to services of any kind.
    package static let apprise = Dialect(
        name: "apprise",
        title: "Apprise, notification for its API",
        source: "caronc/apprise-api@7144a37, apprise_api/api/tests/test_stateless_notify.py, and its README",
        layout: RequestLayout(
            mark: [["/body"], ["/attach", "/attachment", "/urls"]],
            payloads: nil,
            gate: GateRule(alerts: ["/body", "/title"]),
            measure: .nothing,
        ),
        paths: ["attach", "attachment"].flatMap { key in
            ["/\(key)", "/\(key)/*", "/\(key)/*/url"].map { url in
                AttachmentPath(url: JSONPattern(stringLiteral: url), isAbsolute: true, list: nil)
            }
        },
    )
}

// MARK: - Gateways

extension Dialect {
    /// A request to a gorush gateway: several notifications, each for devices of one platform.
    ///
    /// gorush sends `image` to Android and Huawei only. For Apple devices it copies `data` to the payload's root, where
    /// attachments may follow any dialect of payloads. attachd counts the parts of each notification that reach the
    /// device.
    package static let gorush = Dialect(
        name: "gorush",
        title: "gorush request",
        source: "appleboy/gorush@891b453, README and notify/notification_apns.go",
        layout: RequestLayout(
            mark: "/notifications/*/platform",
            payloads: "/notifications/*/data",
            gate: GateRule(
                mutableContent: ["/notifications/*/mutable_content"],
                alerts: ["/notifications/*/message", "/notifications/*/title", "/notifications/*/alert"],
            ),
            category: "/notifications/*/category",
            measure: RequestLayout.Measure(
                root: "/notifications/*",
                sums: [["/title", "/message", "/alert", "/image", "/data"]],
            ),
        ),
        paths: [
            AttachmentPath(url: "/notifications/*/image", list: nil, profile: "fcm", gate: .alwaysOpen)
        ],
    )

    /// The data that node-pushnotifications takes for all platforms. It sends the pictures by Firebase. For Apple
    /// devices `custom` becomes the payload's root, where attachments may follow any dialect of payloads.
    package static let nodePushNotifications = Dialect(
        name: "node-pushnotifications",
        title: "node-pushnotifications, data to send",
        source: "appfeel/node-pushnotifications@967f3e7, src/utils/tools.js and README",
        layout: RequestLayout(
            mark: RequestMark(
                arrayLiteral: ["/title", "/body", "/alert", "/fcm_notification"],
                [
                    "/custom", "/mutableContent", "/contentAvailable", "/topic", "/collapseKey", "/fcm_notification",
                    "/android_channel_id", "/clickAction", "/threadId", "/pushType",
                ]
            )
            .without(["/attach", "/message", "/notification", "/aps"]),
            payloads: "/custom",
            // The alert is made from the title and body beside it if there is none.
            gate: GateRule(mutableContent: ["/mutableContent"], alerts: ["/alert", ""]),
            category: "/category",
            measure: RequestLayout.Measure(root: "", sums: [["/title", "/body", "/alert", "/custom"]]),
        ),
        // With `isAlwaysUseFCM` iPhones get them, too.
        paths: [
            ("/image", "fcm"), ("/picture", "fcm"), ("/fcm_notification/image", "fcm"),
            ("/fcm_notification/imageUrl", "fcm"), ("/icon", "webpush-icon"),
        ]
        .map { url, profile in
            AttachmentPath(url: url, isAbsolute: true, list: nil, profile: profile, gate: .alwaysOpen)
        },
    )
}

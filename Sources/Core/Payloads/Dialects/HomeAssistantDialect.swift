import Media

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

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
                companions: [
                    CompanionField(
                        "/attachment/content-type",
                        .words([
                            .jpeg: "jpeg", .png: "png", .gif: "gif",
                            .mp4: "mpeg4", .avi: "avi", .mpegProgramStream: "mpeg",
                            .mp3: "mp3", .m4a: "mpeg4audio", .wav: "waveformaudio",
                            .aiff: "aiff",
                        ]),
                    )
                ],
                options: OptionFields(thumbnailHidden: "/attachment/hide-thumbnail"),
                isAbsolute: true,
            )
        ],
    )
}

import Media

extension Dialect {
    /// The form of CleverTap. The type is a word or a media type, and nothing is attached without it. `image` stands
    /// for JPEG, `video` for MP4, `audio` for MP3.
    package static let cleverTap = Dialect(
        name: "clevertap",
        title: "CleverTap",
        source: "CleverTap/CTNotificationService@9fb05bd",
        paths: [
            AttachmentPath(
                url: "/ct_mediaUrl",
                companions: [
                    CompanionField(
                        "/ct_mediaType",
                        .words([
                            .jpeg: "image/jpeg", .png: "image/png", .gif: "image/gif",
                            .mp4: "video", .mp3: "audio",
                        ]),
                    )
                ],
                required: ["/ct_mediaType"],
            )
        ],
    )
}

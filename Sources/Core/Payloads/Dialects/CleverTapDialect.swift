import Media

extension Dialect {
    /// The form of CleverTap. The type is a word, and nothing is attached without it: `image` stands for JPEG, `video`
    /// for MP4, `audio` for MP3. Earlier versions of the extension take any other word for the file's extension,
    /// so that a media type breaks them; later ones ask the answer's header then.
    package static let cleverTap = Dialect(
        name: "clevertap",
        title: "CleverTap",
        source: "CleverTap/CTNotificationService@12126a5 and @f302ca4, CTNotificationServiceExtension.m",
        paths: [
            AttachmentPath(
                url: "/ct_mediaUrl",
                companions: [
                    CompanionField(
                        "/ct_mediaType",
                        .words([
                            .jpeg: "image", .png: "png", .gif: "gif", .mp4: "video", .mp3: "audio",
                        ]),
                    )
                ],
                required: ["/ct_mediaType"],
            )
        ],
    )
}

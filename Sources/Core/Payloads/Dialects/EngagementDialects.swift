extension Dialect {
    /// The form of MoEngage. The type is a kind of media, such as `image`. The same picture may stand again among the
    /// texts of a template, which the app's content extension loads by itself; only the attachment is rewritten.
    package static let moEngage = Dialect(
        name: "moengage",
        title: "MoEngage",
        source: "moengage/iOS-PluginBase@7d51df3, Tests/MoEngagePluginBaseTests/PushClickPayloadTest.swift; "
            + "moengage/MoEngage-iOS-SDK, MORichNotification.framework, MOPushPayload.h",
        paths: [
            AttachmentPath(
                url: "/moengage/media-attachment",
                companions: [CompanionField("/moengage/media-type", .sameForm)],
            )
        ],
    )

    /// The forms of WebEngage: the cards of a carousel, tiles, or one picture. The picture behind tiles stays as it is. The
    /// extension attaches nothing without the source and a style, numbers the attachments, and takes the type from the
    /// end of the URL: a file without an extension of at most three letters is a JPEG to it.
    package static let webEngage = Dialect(
        name: "webengage",
        title: "WebEngage",
        source: "WebEngage/WEServiceExtension@6910907, WEServiceExtension.swift; @095ffcc, WERenderer.swift; "
            + "@136cfa5, Network.swift",
        paths: ["items/*/image", "tiles/*/image", "image"].map { field in
            AttachmentPath(
                url: "/expandableDetails/\(field)",
                isIdentifiedByKey: field.contains("*"),
                required: ["/source", "/expandableDetails/style"],
                endsInExtension: true,
            )
        },
    )
}

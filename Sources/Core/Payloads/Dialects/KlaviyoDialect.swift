extension Dialect {
    /// The form of Klaviyo. The type is a file extension; a missing type means `jpg`.
    package static let klaviyo = Dialect(
        name: "klaviyo",
        title: "Klaviyo",
        source: "klaviyo-swift-sdk@67a8b4c, KlaviyoExtension.swift",
        paths: [
            AttachmentPath(
                url: "/rich-media",
                companions: [CompanionField("/rich-media-type", .filenameExtension, implied: "jpg")],
            )
        ],
    )
}

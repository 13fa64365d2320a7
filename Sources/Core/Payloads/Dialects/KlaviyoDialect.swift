extension Dialect {
    /// The form of Klaviyo. The type is a file extension. A missing type means `png` to older versions of the extension
    /// and `jpg` to later ones, so the field is always written.
    package static let klaviyo = Dialect(
        name: "klaviyo",
        title: "Klaviyo",
        source: "klaviyo/klaviyo-swift-sdk@67a8b4c, Sources/KlaviyoSwiftExtension/KlaviyoExtension.swift",
        paths: [
            AttachmentPath(
                url: "/rich-media",
                companions: [CompanionField("/rich-media-type", .filenameExtension, implied: "")],
            )
        ],
    )
}

extension Dialect {
    /// The locations where apps find `_richContent`.
    package static let expo = Dialect(
        name: "expo",
        title: "Expo, on the device",
        source: "expo/expo#36202, #36700, #4787; motisig.ai/docs/sdks/ios/rich-images",
        paths: [
            AttachmentPath(url: "/body/_richContent/image"),
            AttachmentPath(url: "/_richContent/image"),
            AttachmentPath(url: "/data/_richContent/image"),
        ],
    )
}

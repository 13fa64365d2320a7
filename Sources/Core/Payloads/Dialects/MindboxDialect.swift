extension Dialect {
    /// The present form, then the one of earlier payloads. The extension takes neither without `clickUrl`, and finds the
    /// format in the file's first byte: JPEG, PNG or GIF.
    package static let mindbox = Dialect(
        name: "mindbox",
        title: "Mindbox",
        source: "mindbox-cloud/ios-sdk@17dcde6, MindboxNotifications, NotificationFormatStrategy.swift and "
            + "ImageFormat.swift",
        paths: [
            AttachmentPath(url: "/imageUrl", required: ["/clickUrl"]),
            AttachmentPath(url: "/aps/imageUrl", required: ["/aps/clickUrl"]),
        ],
    )
}

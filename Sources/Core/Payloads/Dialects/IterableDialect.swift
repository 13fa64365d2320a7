extension Dialect {
    package static let iterable = Dialect(
        name: "iterable",
        title: "Iterable",
        source: "Iterable/swift-sdk@4e08441, notification-extension/ITBNotificationServiceExtension.swift",
        paths: [AttachmentPath(url: "/itbl/attachment-url")],
    )
}

extension Dialect {
    package static let customerIO = Dialect(
        name: "customer-io",
        title: "Customer.io",
        source: "customerio-ios@8b9ee36, Sources/MessagingPush/Type/PushNotification.swift",
        paths: [AttachmentPath(url: "/CIO/push/image")],
    )
}

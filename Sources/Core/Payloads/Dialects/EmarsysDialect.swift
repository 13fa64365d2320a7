extension Dialect {
    /// Version 2 of Emarsys's payload, then version 1.
    package static let emarsys = Dialect(
        name: "emarsys",
        title: "Emarsys",
        source: "me-docs.gservice.emarsys.net, APNS payload and push; emartech/engagement-cloud-sdk@135a29f, "
            + "ios-notification-service, EngagementCloudNotificationService.kt",
        paths: [AttachmentPath(url: "/notification/imageUrl"), AttachmentPath(url: "/image_url")],
    )
    /// The payload in the wrapping of Emarsys's own service, beside the device's token.
    package static let emarsysRequest = Dialect(
        name: "emarsys-request",
        title: "Emarsys, payload in its wrapping",
        source: "me-docs.gservice.emarsys.net, mobile-engage/push-notification-payload/apns",
        layout: RequestLayout(
            mark: [["/token"], ["/payload/aps"]],
            payloads: nil,
            gate: GateRule(mutableContent: ["/payload/aps/mutable-content"], alerts: ["/payload/aps/alert"]),
            category: "/payload/aps/category",
            measure: RequestLayout.Measure(root: "/payload", sums: [[""]]),
        ),
        paths: ["/payload/notification/imageUrl", "/payload/image_url"].map { url in
            AttachmentPath(url: url, list: "/payload/attachments", profile: "apns")
        },
    )
}

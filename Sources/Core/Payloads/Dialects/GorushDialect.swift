extension Dialect {
    /// A request to a gorush gateway: several notifications, each for devices of one platform.
    ///
    /// gorush sends `image` to Android and Huawei only. For Apple devices it copies `data` to the payload's root, where
    /// attachments may follow any dialect of payloads. attachd counts the parts of each notification that reach the
    /// device.
    package static let gorush = Dialect(
        name: "gorush",
        title: "gorush request",
        source: "appleboy/gorush@891b453, README and notify/notification_apns.go",
        layout: RequestLayout(
            mark: "/notifications/*/platform",
            payloads: "/notifications/*/data",
            gate: GateRule(
                mutableContent: ["/notifications/*/mutable_content"],
                alerts: ["/notifications/*/message", "/notifications/*/title", "/notifications/*/alert"],
            ),
            category: "/notifications/*/category",
            measure: RequestLayout.Measure(
                root: "/notifications/*",
                sums: [["/title", "/message", "/alert", "/image", "/data"]],
            ),
        ),
        paths: [
            AttachmentPath(url: "/notifications/*/image", list: nil, profile: "fcm", gate: .alwaysOpen)
        ],
    )

    /// The data that node-pushnotifications takes for all platforms. It sends the pictures by Firebase. For Apple
    /// devices `custom` becomes the payload's root, where attachments may follow any dialect of payloads.
    package static let nodePushNotifications = Dialect(
        name: "node-pushnotifications",
        title: "node-pushnotifications, data to send",
        source: "appfeel/node-pushnotifications@967f3e7, src/utils/tools.js and README",
        layout: RequestLayout(
            mark: RequestMark(
                arrayLiteral: ["/title", "/body", "/alert", "/fcm_notification"],
                [
                    "/custom", "/mutableContent", "/contentAvailable", "/topic", "/collapseKey", "/fcm_notification",
                    "/android_channel_id", "/clickAction", "/threadId", "/pushType",
                ]
            )
            .without(["/attach", "/message", "/notification", "/aps"]),
            payloads: "/custom",
            // The alert is made from the title and body beside it if there is none.
            gate: GateRule(mutableContent: ["/mutableContent"], alerts: ["/alert", ""]),
            category: "/category",
            measure: RequestLayout.Measure(root: "", sums: [["/title", "/body", "/alert", "/custom"]]),
        ),
        // With `isAlwaysUseFCM` iPhones get them, too.
        paths: [
            ("/image", "fcm"), ("/picture", "fcm"), ("/fcm_notification/image", "fcm"),
            ("/fcm_notification/imageUrl", "fcm"), ("/icon", "webpush-icon"),
        ]
        .map { url, profile in
            AttachmentPath(url: url, isAbsolute: true, list: nil, profile: profile, gate: .alwaysOpen)
        },
    )
}

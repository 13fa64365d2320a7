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
}

extension Dialect {
    /// A request to create a message, for all platforms at once. OneSignal makes the payloads from it, and marks those
    /// for Apple devices as mutable. A request must have the English text.
    package static let oneSignalRequest = Dialect(
        name: "onesignal-request",
        title: "OneSignal, request to create a message",
        source: "documentation.onesignal.com, create notification; rubydoc.info/gems/onesignal, "
            + "OneSignal::Notification",
        layout: RequestLayout(
            mark: [["/app_id"], ["/contents", "/headings", "/template_id"]],
            payloads: nil,
            gate: GateRule(alerts: ["/contents/en", "/headings/en", "/subtitle/en", "/template_id"]),
            category: "/ios_category",
            measure: .nothing,
        ),
        paths: [
            AttachmentPath(
                url: "/ios_attachments/*",
                isIdentifiedByKey: true,
                isAbsolute: true,
                list: nil,
                profile: "apns",
            )
        ]
            + ["/big_picture", "/huawei_big_picture", "/adm_big_picture"].map { .other($0, profile: "fcm") }
            + [.other("/chrome_web_image", profile: "webpush")]
            + [
                "/large_icon", "/huawei_large_icon", "/adm_large_icon", "/chrome_web_icon", "/firefox_icon",
                "/chrome_web_badge", "/web_buttons/*/icon",
            ]
            .map { .other($0, profile: "webpush-icon") },
    )
}

extension AttachmentPath {
    /// Returns a path to a picture that no Apple device gets. Where a service also takes the names of resources in the
    /// app, only an absolute URL counts.
    static func other(
        _ url: JSONPattern,
        list: JSONPattern? = nil,
        profile: String,
        gate: GateRule? = nil,
    ) -> AttachmentPath {
        AttachmentPath(
            url: url,
            isAbsolute: true,
            list: list,
            profile: profile,
            isForOthersOnly: true,
            gate: gate,
        )
    }
}

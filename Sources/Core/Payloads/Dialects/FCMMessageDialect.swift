extension Dialect {
    /// A message for Apple, Android and web devices at once, as it is sent to Firebase.
    ///
    /// Its JSON has two spellings of each name, as protocol buffers do; senders use both for `fcm_options`. Firebase
    /// allows 4096 bytes of keys and values for each platform and does not say how it counts them. attachd counts the
    /// common part and the platform's own part as compact JSON, which is a little more.
    package static let fcmMessage = Dialect(
        name: "fcm-message",
        title: "Firebase, message to several platforms",
        source: "firebase.google.com/docs/cloud-messaging, send-image and its error codes",
        layout: RequestLayout(
            mark: "/message/*",
            payloads: "/message/apns/payload",
            gate: GateRule(
                mutableContent: "/message/apns/payload/aps/mutable-content",
                alerts: ["/message/apns/payload/aps/alert", "/message/notification"],
            ),
            category: "/message/apns/payload/aps/category",
            measure: RequestLayout.Measure(
                root: "/message",
                sums: [
                    ["/notification", "/data", "/apns/payload", "/apns/fcm_options", "/apns/fcmOptions"],
                    ["/notification", "/data", "/android/notification", "/android/data"],
                    ["/notification", "/data", "/webpush/notification", "/webpush/data"],
                ],
            ),
        ),
        paths: ["/message/apns/fcm_options/image", "/message/apns/fcmOptions/image"].map { url in
            AttachmentPath(url: url, list: "/message/apns/payload/attachments", profile: "apns")
        } + [
            AttachmentPath(url: "/message/notification/image", list: nil, profile: "fcm", gate: .alwaysOpen),
            AttachmentPath(
                url: "/message/android/notification/image",
                list: nil,
                profile: "fcm",
                isForOthersOnly: true,
                gate: .alwaysOpen,
            ),
            AttachmentPath(
                url: "/message/webpush/notification/image",
                list: nil,
                profile: "webpush",
                isForOthersOnly: true,
                gate: .alwaysOpen,
            ),
            AttachmentPath(
                url: "/message/webpush/headers/image",
                list: nil,
                profile: "webpush",
                isForOthersOnly: true,
                gate: .alwaysOpen,
            ),
        ],
    )
}

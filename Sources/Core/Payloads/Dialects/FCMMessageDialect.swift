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
        layout: fcmLayout(mark: "/message/*", below: "/message"),
        paths: fcmPaths(below: "/message"),
    )

    /// The same message without the object around it, as Firebase's Admin SDKs take it. The one for Node.js has names of
    /// its own: `imageUrl` and `mutableContent`.
    package static let fcmBareMessage = Dialect(
        name: "fcm-bare-message",
        title: "Firebase, message for an Admin SDK",
        source: "firebase/firebase-admin-node@00f917a, src/messaging/messaging-api.ts",
        layout: fcmLayout(
            mark: [
                ["/token", "/tokens", "/topic", "/condition"], ["/notification", "/android", "/apns", "/webpush"],
            ],
            below: "",
        ),
        paths: fcmPaths(below: "") + [
            AttachmentPath(url: "/apns/fcmOptions/imageUrl", list: "/apns/payload/attachments", profile: "apns"),
            fcmPath("/notification/imageUrl", profile: "fcm"),
            fcmPath("/android/notification/imageUrl", profile: "fcm", isForOthersOnly: true),
        ],
    )

    private static func fcmLayout(mark: RequestMark, below root: String) -> RequestLayout {
        let aps = "\(root)/apns/payload/aps"
        return RequestLayout(
            mark: mark,
            payloads: "\(root)/apns/payload",
            gate: GateRule(
                mutableContent: ["\(aps)/mutable-content", "\(aps)/mutableContent"],
                alerts: ["\(aps)/alert", "\(root)/notification"],
            ),
            category: "\(aps)/category",
            measure: RequestLayout.Measure(
                root: "\(root)",
                sums: [
                    ["/notification", "/data", "/apns/payload", "/apns/fcm_options", "/apns/fcmOptions"],
                    ["/notification", "/data", "/android/notification", "/android/data"],
                    ["/notification", "/data", "/webpush/notification", "/webpush/data"],
                ],
            ),
        )
    }

    private static func fcmPaths(below root: String) -> [AttachmentPath] {
        ["\(root)/apns/fcm_options/image", "\(root)/apns/fcmOptions/image"].map { url in
            AttachmentPath(url: url, list: "\(root)/apns/payload/attachments", profile: "apns")
        } + [
            fcmPath("\(root)/notification/image", profile: "fcm"),
            fcmPath("\(root)/android/notification/image", profile: "fcm", isForOthersOnly: true),
            fcmPath("\(root)/webpush/notification/image", profile: "webpush", isForOthersOnly: true),
            fcmPath("\(root)/webpush/headers/image", profile: "webpush", isForOthersOnly: true),
        ]
            + ["icon", "badge", "actions/*/icon"].map { name in
                .other("\(root)/webpush/notification/\(name)", profile: "webpush-icon", gate: .alwaysOpen)
            }
    }

    private static func fcmPath(
        _ url: JSONPattern,
        profile: String,
        isForOthersOnly: Bool = false,
    ) -> AttachmentPath {
        AttachmentPath(url: url, list: nil, profile: profile, isForOthersOnly: isForOthersOnly, gate: .alwaysOpen)
    }
}

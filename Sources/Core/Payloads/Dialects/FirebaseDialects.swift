extension Dialect {
    /// The form that a Firebase message has when it arrives on an Apple device.
    package static let firebase = Dialect(
        name: "firebase",
        title: "Firebase, on the device",
        source: "firebase-ios-sdk, FirebaseMessaging/Sources/FIRMessagingExtensionHelper.m",
        paths: [AttachmentPath(url: "/fcm_options/image")],
    )

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
    /// its own: `imageUrl` and `mutableContent`. A message without a target gets it later.
    package static let fcmBareMessage = Dialect(
        name: "fcm-bare-message",
        title: "Firebase, message for an Admin SDK",
        source:
            "firebase/firebase-admin-node@00f917a, src/messaging/messaging-api.ts; firebase.google.com/docs/reference/"
            + "admin/node, FidMessage and FidMulticastMessage",
        layout: fcmLayout(
            mark: [
                [
                    "/token", "/tokens", "/fid", "/fids", "/topic", "/condition", "/android", "/apns/payload",
                    "/apns/headers", "/apns/fcm_options", "/apns/fcmOptions", "/webpush",
                ],
                ["/notification", "/android", "/apns", "/webpush"],
            ],
            below: "",
        ),
        paths: fcmPaths(below: "") + [
            AttachmentPath(url: "/apns/fcmOptions/imageUrl", list: "/apns/payload/attachments", profile: "apns"),
            fcmPath("/notification/imageUrl", profile: "fcm"),
            fcmPath("/android/notification/imageUrl", profile: "fcm", isForOthersOnly: true),
        ],
    )

    /// A message in the form before HTTP v1. `data` becomes the custom keys of an Apple device's payload. Firebase
    /// itself does not take it any more; gateways in front of it, and Amazon SNS, do.
    package static let fcmLegacy = Dialect(
        name: "fcm-legacy",
        title: "Firebase, message before HTTP v1",
        source: "firebase.google.com/docs/cloud-messaging/http-server-ref; ToothlessGear/node-gcm, README",
        layout: fcmLegacyLayout(
            mark: [
                ["/to", "/registration_ids", "/mutable_content", "/content_available"], ["/notification", "/data"],
            ],
        ),
        paths: [fcmPath("/notification/image", profile: "fcm")],
    )

    /// The message of several strings, each for the devices of one platform. Amazon SNS sends a string as it is, so the
    /// limit is that of each, and not of the message.
    package static let amazonSNS = Dialect(
        name: "amazon-sns",
        title: "Amazon SNS, message for several platforms",
        source:
            "docs.aws.amazon.com/sns, sns-send-custom-platform-specific-payloads-mobile-devices and PlatformApplication",
        strings: ["/APNS", "/APNS_SANDBOX", "/APNS_VOIP", "/APNS_VOIP_SANDBOX", "/MACOS", "/MACOS_SANDBOX"].map {
            PayloadStrings(pattern: $0, requests: [])
        } + [
            PayloadStrings(
                pattern: "/GCM",
                requests: [
                    amazonGCM(
                        fcmLayout(mark: "/fcmV1Message/message/*", below: "/fcmV1Message/message"),
                        fcmPaths(below: "/fcmV1Message/message")
                    ),
                    amazonGCM(fcmLegacyLayout(mark: [["/notification", "/data"]]), fcmLegacy.paths),
                ],
            )
        ],
        paths: [],
    )

    private static func amazonGCM(_ layout: RequestLayout, _ paths: [AttachmentPath]) -> Dialect {
        Dialect(
            name: "amazon-sns",
            title: "Amazon SNS, GCM",
            source: "docs.aws.amazon.com/sns",
            layout: layout,
            paths: paths
        )
    }

    private static func fcmLegacyLayout(mark: RequestMark) -> RequestLayout {
        RequestLayout(
            mark: mark,
            payloads: "/data",
            gate: GateRule(mutableContent: ["/mutable_content"], alerts: ["/notification"]),
            category: "/notification/click_action",
            measure: RequestLayout.Measure(root: "", sums: [["/notification", "/data"]]),
        )
    }

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

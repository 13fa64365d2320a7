// MARK: - OneSignal

extension Dialect {
    /// An object of several attachments: its keys are identifiers, its values URLs or names of files in the app. The
    /// third form, `at`, is for pushes without an alert, for which no extension runs.
    package static let oneSignal = Dialect(
        name: "onesignal",
        title: "OneSignal",
        source: "OneSignal-iOS-SDK, OneSignalCore/Source/OSNotification.m and OneSignalAttachmentHandler.m",
        paths: [
            AttachmentPath(url: "/os_data/att/*", isIdentifiedByKey: true, isAbsolute: true),
            AttachmentPath(url: "/att/*", isIdentifiedByKey: true, isAbsolute: true),
        ],
    )

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

// MARK: - Airship

extension Dialect {
    /// One URL, several in an array, or several with identifiers. The options are those of all attachments. The
    /// extension handles `content`, new texts to go with the media.
    package static let airship = Dialect(
        name: "airship",
        title: "Airship",
        source: "urbanairship/ios-library, AirshipNotificationServiceExtension/MediaAttachmentPayload.swift",
        paths: airshipPaths(below: "/com.urbanairship.media_attachment"),
    )

    /// Accengage was taken over by Airship. In its own form `a4sid` is the notification's identifier, beside an array
    /// of attachments. One version of Airship's extension reads an object of Airship's form there.
    package static let accengage = Dialect(
        name: "accengage",
        title: "Accengage (Airship)",
        source: "urbanairship/ios-library, UAMediaAttachmentPayloadTests.m and UANotificationServiceExtension.swift",
        paths: [
            AttachmentPath(
                url: "/acc-atts/*/att-url",
                identifiers: ["/acc-atts/*/att-id"],
                options: airshipOptions(below: ""),
                required: ["/a4sid"],
            )
        ] + airshipPaths(below: "/a4sid"),
    )

    /// A request to send a push, for all platforms at once. Airship makes the payloads from it, and marks those with a
    /// media attachment as mutable.
    package static let airshipRequest = Dialect(
        name: "airship-request",
        title: "Airship, request to send a push",
        source: "docs.airship.com/api/ua, push object; urbanairship/python-library@001062d, "
            + "urbanairship/push/payload.py",
        layout: RequestLayout(
            mark: [["/notification"], ["/audience"], ["/device_types"]],
            payloads: nil,
            gate: GateRule(alerts: [
                "/notification/alert", "/notification/ios/alert", "/notification/android/alert",
                "/notification/amazon/alert", "/notification/web/alert",
            ]),
            category: "/notification/ios/category",
            measure: .nothing,
        ),
        paths: airshipPaths(below: "/notification/ios/media_attachment", isRequest: true) + [
            .other("/notification/android/style/big_picture", profile: "fcm"),
            .other("/notification/amazon/style/big_picture", profile: "fcm"),
            .other("/notification/web/image/url", profile: "webpush"),
            .other("/notification/web/icon/url", profile: "webpush-icon"),
        ],
    )

    private static func airshipPaths(below root: String, isRequest: Bool = false) -> [AttachmentPath] {
        let options = airshipOptions(below: root)
        return [
            AttachmentPath(url: "\(root)/urls/*/url", identifiers: ["\(root)/urls/*/url_id"], options: options),
            AttachmentPath(url: "\(root)/url", options: options),
            AttachmentPath(url: "\(root)/url/*", options: options),
        ]
        .map { path in
            var path = path
            if isRequest { (path.list, path.profile) = (nil, "apns") }
            return path
        }
    }

    private static func airshipOptions(below root: String) -> OptionFields {
        OptionFields(
            thumbnailHidden: "\(root)/options/hidden",
            clippingRectangle: "\(root)/options/crop",
            thumbnailTime: "\(root)/options/time",
            thumbnailIdentifier: "\(root)/thumbnail_id",
        )
    }
}

// MARK: - Expo and its relays

extension Dialect {
    /// The locations where apps find `_richContent`.
    package static let expo = Dialect(
        name: "expo",
        title: "Expo, on the device",
        source: "expo/expo#36202, #36700, #4787; motisig.ai/docs/sdks/ios/rich-images",
        paths: [
            AttachmentPath(url: "/body/_richContent/image"),
            AttachmentPath(url: "/_richContent/image"),
            AttachmentPath(url: "/data/_richContent/image"),
        ],
    )

    /// A request to Expo's push service, for Apple and Android devices alike. The service counts all of it.
    package static let expoRequest = expoRequest(
        name: "expo-request",
        title: "Expo, request to its push service",
        message: "",
        first: "",
    )

    /// A list of messages, at most 100, which Expo's push service takes in one request. It counts each message.
    package static let expoRequestList = expoRequest(
        name: "expo-request-list",
        title: "Expo, request with a list of messages",
        message: "/*",
        first: "/0",
    )

    /// Returns the dialect of messages at `message`, of which `first` marks the request. A message may lack a picture.
    private static func expoRequest(name: String, title: String, message: String, first: String) -> Dialect {
        let image: JSONPattern = "\(message)/richContent/image"
        return Dialect(
            name: name,
            title: title,
            source: "expo/expo, docs/pages/push-notifications/sending-notifications.mdx",
            layout: RequestLayout(
                mark: [
                    ["\(first)/to", "\(first)/richContent/image"],
                    [
                        "\(first)/title", "\(first)/body", "\(first)/richContent", "\(first)/data",
                        "\(first)/_contentAvailable",
                    ],
                ],
                payloads: nil,
                gate: GateRule(alerts: ["\(message)/title", "\(message)/subtitle", "\(message)/body"]),
                category: "\(message)/categoryId",
                measure: RequestLayout.Measure(root: "\(message)", sums: [[""]]),
            ),
            paths: [AttachmentPath(url: image, list: nil, profile: "fcm")],
        )
    }

    /// MotiSig's own keys, also as Expo's relay wraps them. Its extension reads the keys of Expo and Firebase after these.
    package static let motiSig = Dialect(
        name: "motisig",
        title: "MotiSig",
        source: "MotiSig-Public/ios-motisig-sdk@b4350b5, Sources/MotiSig/Push/MotiSigRichPushHandler.swift; "
            + "MotiSig-Public/expo-motisig-sdk@1844488, native/ios/NotificationService/NotificationService.m",
        paths: ["", "/body"].flatMap { root in
            ["imageUrl", "image_url", "image"].map { key in AttachmentPath(url: "\(root)/_motisig/\(key)") }
        },
    )
}

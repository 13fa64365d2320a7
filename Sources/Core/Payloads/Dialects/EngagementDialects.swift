import Media

// MARK: - A URL alone

extension Dialect {
    package static let acoustic = Dialect(
        name: "acoustic",
        title: "Acoustic Campaign (IBM, Silverpop)",
        source: "IBM's MCENotificationService.m of 2016; the present SDK is closed",
        paths: [AttachmentPath(url: "/media-attachment")],
    )

    package static let adobe = Dialect(
        name: "adobe",
        title: "Adobe Journey Optimizer",
        source: "developer.adobe.com, display rich notifications",
        paths: [AttachmentPath(url: "/adb_media")],
    )

    package static let adobeCampaign = Dialect(
        name: "adobe-campaign",
        title: "Adobe Campaign Standard",
        source: "experienceleague.adobe.com/docs/campaign-standard, push-payload and image-push-notification",
        paths: [AttachmentPath(url: "/media-attachment-url")],
    )

    package static let customerIO = Dialect(
        name: "customer-io",
        title: "Customer.io",
        source: "customerio-ios@8b9ee36, Sources/MessagingPush/Type/PushNotification.swift",
        paths: [AttachmentPath(url: "/CIO/push/image")],
    )

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

    package static let iterable = Dialect(
        name: "iterable",
        title: "Iterable",
        source: "Iterable/swift-sdk@4e08441, notification-extension/ITBNotificationServiceExtension.swift",
        paths: [AttachmentPath(url: "/itbl/attachment-url")],
    )

    package static let leanplum = Dialect(
        name: "leanplum",
        title: "Leanplum",
        source: "service extensions of Leanplum's customers; the SDK itself has none",
        paths: [AttachmentPath(url: "/LP_URL")],
    )

    /// The present form, then the one of earlier payloads. The extension takes neither without `clickUrl`, and finds the
    /// format in the file's first byte: JPEG, PNG or GIF.
    package static let mindbox = Dialect(
        name: "mindbox",
        title: "Mindbox",
        source: "mindbox-cloud/ios-sdk@17dcde6, MindboxNotifications, NotificationFormatStrategy.swift and "
            + "ImageFormat.swift",
        paths: [
            AttachmentPath(url: "/imageUrl", required: ["/clickUrl"]),
            AttachmentPath(url: "/aps/imageUrl", required: ["/aps/clickUrl"]),
        ],
    )

    /// The form of Pinpoint. The extension takes the file's type from the end of the URL.
    package static let pinpoint = Dialect(
        name: "pinpoint",
        title: "Amazon Pinpoint",
        source: "aws-amplify/amplify-swift-utils-notifications@8cd960e",
        paths: [AttachmentPath(url: "/data/media-url", endsInExtension: true)],
    )

    /// The form of Pushwoosh: a string, where Home Assistant has an object under the same key. The extension takes the
    /// file's type from the end of the URL, with its query.
    package static let pushwoosh = Dialect(
        name: "pushwoosh",
        title: "Pushwoosh",
        source: "Pushwoosh/pushwoosh-ios-sdk@6a5bb42, Samples/iPhone/NotificationService/NotificationService.m",
        paths: [AttachmentPath(url: "/attachment", endsInExtension: true)],
    )

    /// The attribute of Sailthru's own guide. Emarsys has the same key, so a payload is found under that name unless this
    /// dialect is asked for.
    package static let sailthru = Dialect(
        name: "sailthru",
        title: "Sailthru Mobile (Carnival)",
        source: "docs.mobile.sailthru.com/docs/ios-rich-push; the SDK's own extension is closed",
        paths: [AttachmentPath(url: "/image_url")],
    )

    /// The form of Salesforce. `_mediaAlt` becomes the body when the media fails.
    package static let salesforce = Dialect(
        name: "salesforce",
        title: "Salesforce Marketing Cloud",
        source: "developer.salesforce.com, mc_engagement_push_notifications_ios_rich_notifications",
        paths: [AttachmentPath(url: "/_mediaUrl")],
        fallbackBody: "/_mediaAlt",
    )
}

// MARK: - A type beside the URL

extension Dialect {
    /// The form of Batch. Its extension gives the type to the system as the type hint, and attaches nothing without one.
    package static let batch = Dialect(
        name: "batch",
        title: "Batch",
        source: "BatchLabs/Batch-iOS-SDK-Extension@4085287, Sources/Swift/Rich Notifications/"
            + "RichNotificationHelper.swift",
        paths: [
            AttachmentPath(
                url: "/com.batch/at/u",
                companions: [CompanionField("/com.batch/at/t", .sameForm)],
                required: ["/com.batch/at/t"],
            )
        ],
    )

    /// The form of Braze. The type is a file extension.
    package static let braze = Dialect(
        name: "braze",
        title: "Braze",
        source: "braze.com/docs, iOS rich notifications",
        paths: [AttachmentPath(url: "/ab/att/url", companions: [CompanionField("/ab/att/type", .filenameExtension)])],
    )

    /// The form of CleverTap. The type is a word, and nothing is attached without it: `image` stands for JPEG, `video`
    /// for MP4, `audio` for MP3. Earlier versions of the extension take any other word for the file's extension,
    /// so that a media type breaks them; later ones ask the answer's header then.
    package static let cleverTap = Dialect(
        name: "clevertap",
        title: "CleverTap",
        source: "CleverTap/CTNotificationService@12126a5 and @f302ca4, CTNotificationServiceExtension.m",
        paths: [
            AttachmentPath(
                url: "/ct_mediaUrl",
                companions: [
                    CompanionField(
                        "/ct_mediaType",
                        .words([
                            .jpeg: "image", .png: "png", .gif: "gif", .mp4: "video", .mp3: "audio",
                        ]),
                    )
                ],
                required: ["/ct_mediaType"],
            )
        ],
    )

    /// The form of Klaviyo. The type is a file extension. A missing type means `png` to older versions of the extension
    /// and `jpg` to later ones, so the field is always written.
    package static let klaviyo = Dialect(
        name: "klaviyo",
        title: "Klaviyo",
        source: "klaviyo/klaviyo-swift-sdk@67a8b4c, Sources/KlaviyoSwiftExtension/KlaviyoExtension.swift",
        paths: [
            AttachmentPath(
                url: "/rich-media",
                companions: [CompanionField("/rich-media-type", .filenameExtension, implied: "")],
            )
        ],
    )

    /// The form of MoEngage. The type is a kind of media, such as `image`. The same picture may stand again among the
    /// texts of a template, which the app's content extension loads by itself; only the attachment is rewritten.
    package static let moEngage = Dialect(
        name: "moengage",
        title: "MoEngage",
        source: "moengage/iOS-PluginBase@7d51df3, Tests/MoEngagePluginBaseTests/PushClickPayloadTest.swift; "
            + "moengage/MoEngage-iOS-SDK, MORichNotification.framework, MOPushPayload.h",
        paths: [
            AttachmentPath(
                url: "/moengage/media-attachment",
                companions: [CompanionField("/moengage/media-type", .sameForm)],
            )
        ],
    )
}

// MARK: - Several attachments

extension Dialect {
    /// The forms of WebEngage: the cards of a carousel, tiles, or one picture. The picture behind tiles stays as it is. The
    /// extension attaches nothing without the source and a style, numbers the attachments, and takes the type from the
    /// end of the URL: a file without an extension of at most three letters is a JPEG to it.
    package static let webEngage = Dialect(
        name: "webengage",
        title: "WebEngage",
        source: "WebEngage/WEServiceExtension@6910907, WEServiceExtension.swift; @095ffcc, WERenderer.swift; "
            + "@136cfa5, Network.swift",
        paths: ["items/*/image", "tiles/*/image", "image"].map { field in
            AttachmentPath(
                url: "/expandableDetails/\(field)",
                isIdentifiedByKey: field.contains("*"),
                required: ["/source", "/expandableDetails/style"],
                endsInExtension: true,
            )
        },
    )

    /// Several attachments, with the options that `UNNotificationAttachment` takes. An attachment without an identifier
    /// is named by its index.
    package static let wonderPush = Dialect(
        name: "wonderpush",
        title: "WonderPush",
        source: "wonderpush-ios-sdk@9660759, Sources/WonderPushExtension/WPNotificationServiceExtension.m",
        paths: [
            AttachmentPath(
                url: "/_wp/attachments/*/url",
                identifiers: ["/_wp/attachments/*/id"],
                isIdentifiedByKey: true,
                companions: [
                    CompanionField("/_wp/attachments/*/type", .sameForm),
                    .typeHint(below: "/_wp/attachments/*/options"),
                ],
                options: .userNotifications(below: "/_wp/attachments/*/options"),
            )
        ],
    )
}

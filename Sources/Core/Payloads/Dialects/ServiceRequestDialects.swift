import Media

// The bodies with which a backend calls a service that makes the payloads itself. Each platform has a place of its own.

extension Dialect {
    /// Creates the dialect of a service's API. `pictures` are shown by iPhones too, if they are asked for, `android` and `icons` by
    /// others only.
    private init(
        request name: String,
        _ title: String,
        source: String,
        mark: RequestMark,
        pictures: [AttachmentPath] = [],
        android: [JSONPattern] = [],
        web: [JSONPattern] = [],
        icons: [JSONPattern] = [],
    ) {
        self.init(
            name: name,
            title: title,
            source: source,
            layout: RequestLayout(mark: mark, payloads: nil, gate: .alwaysOpen, measure: .nothing),
            paths: pictures + android.map { .other($0, profile: "fcm") } + web.map { .other($0, profile: "webpush") }
                + icons.map { .other($0, profile: "webpush-icon") },
        )
    }

    /// Returns the place of a picture that iPhones show.
    private static func picture(_ url: JSONPattern, profile: String, _ companions: [CompanionField] = [])
        -> AttachmentPath
    {
        AttachmentPath(url: url, companions: companions, isAbsolute: true, list: nil, profile: profile)
    }

    package static let brazeRequest = Dialect(
        request: "braze-request",
        "Braze, request to send messages",
        source:
            "braze-inc/braze-docs@194373b, apple_object.md; @bbb2460, android_object.md; @042c649, post_send_messages.md",
        mark: [["/messages/apple_push", "/messages/android_push", "/messages/web_push"]],
        pictures: [
            picture(
                "/messages/apple_push/asset_url",
                profile: "apns",
                [
                    CompanionField(
                        "/messages/apple_push/asset_file_type",
                        .words([
                            .aiff: "aif", .gif: "gif", .jpeg: "jpg", .m4a: "m4a", .mp3: "mp3", .mp4: "mp4", .png: "png",
                            .wav: "wav",
                        ]),
                        implied: "",
                    )
                ]
            )
        ],
        android: ["/messages/android_push/extra/appboy_image_url"],
        web: ["/messages/web_push/large_image_url"],
        icons: ["/messages/android_push/push_icon_image_url", "/messages/web_push/image_url"],
    )

    package static let cleverTapRequest = Dialect(
        request: "clevertap-request",
        "CleverTap, request to create a campaign",
        source: "developer.clevertap.com, Create Campaign; PipedreamHQ/pipedream@4a5bc99, create-campaign.mjs",
        mark: [["/target_mode"], ["/content/platform_specific"]],
        android: ["/content/platform_specific/android/background_image"],
        web: ["/content/platform_specific/chrome/image"],
        icons: ["android/large_icon", "chrome/icon", "firefox/icon"].map { "/content/platform_specific/\($0)" },
    )

    /// The places of Firebase's message: that of today's requests, and that of earlier ones.
    private static let courierBodies = ["/message/providers/firebase-fcm/override/body", "/override/firebase-fcm/body"]

    package static let courier = Dialect(
        request: "courier",
        "Courier, request to send a message",
        source: "trycourier/docs@05328d9, providers/push/firebase-fcm.mdx",
        mark: RequestMark(arrayLiteral: courierBodies.map { "\($0)" }),
        pictures: courierBodies.flatMap { body in
            [
                picture("\(body)/notification/image", profile: "fcm"),
                picture("\(body)/apns/fcm_options/image", profile: "apns"),
            ]
        },
        android: courierBodies.map { body in
            "\(body)/android/notification/image"
        },
    )

    package static let customerIORequest = Dialect(
        request: "customer-io-request",
        "Customer.io, transactional push",
        source: "docs.customer.io, Send a transactional push; customerio/go-customerio@879598e, send_push.go",
        mark: [["/transactional_message_id"], ["/identifiers"]],
        pictures: [picture("/image_url", profile: "fcm")],
    )

    package static let gotify = Dialect(
        request: "gotify",
        "Gotify, message",
        source: "gotify/website@0e664be, docs/msgextras.md; gotify/android@07f931d, WebSocketService.kt",
        mark: [["/message"], ["/extras/client::notification/bigImageUrl"]],
        android: ["/extras/client::notification/bigImageUrl"],
    )

    /// Huawei's Push Kit, whose version 3 has `payload`, and earlier ones `message`.
    package static let huawei = Dialect(
        request: "huawei",
        "Huawei Push Kit",
        source: "developer.huawei.com, push-scenariozed-api-request-struct and android-image; "
            + "HMS-Core/hms-push-serverdemo-nodejs@20b5464, src/push/modle/message.ts",
        mark: [
            ["/payload/notification/category", "/message/android/notification/click_action/type"],
            ["/target/token", "/message/token", "/message/topic", "/message/condition"],
        ],
        // Both are shown small, beside the text.
        icons: ["/payload/notification/image", "/message/notification/image", "/message/android/notification/image"],
    )

    package static let novu = Dialect(
        request: "novu",
        "Novu, request to trigger a workflow",
        source: "novuhq/docs@047db5b, integrations/push/fcm.mdx; novuhq/novu@04ca4f3, fcm.provider.ts",
        mark: [["/name", "/workflowId"], ["/to"], ["/overrides/fcm", "/overrides/providers/fcm"]],
        pictures: ["/overrides/fcm/imageUrl", "/overrides/providers/fcm/imageUrl"].map { picture($0, profile: "fcm") },
    )

    package static let pushwooshRequest = Dialect(
        request: "pushwoosh-request",
        "Pushwoosh, request to create messages",
        source: "docs.pushwoosh.com, Messages; Pushwoosh/pushwoosh-python-lib@01d0b01, pypushwoosh/notification.py",
        mark: [["/request/notifications"], ["/request/auth"]],
        pictures: [picture("/request/notifications/*/ios_attachment", profile: "apns")],
        android: ["android_banner", "adm_banner"].map { "/request/notifications/*/\($0)" },
        web: ["/request/notifications/*/chrome_image"],
        icons: ["android_custom_icon", "adm_custom_icon", "chrome_icon"].map { "/request/notifications/*/\($0)" },
    )
}

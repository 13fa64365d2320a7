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

extension Dialect {
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

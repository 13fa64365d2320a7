extension Dialect {
    /// Content that never came from a gateway. Its properties are those of `UNNotificationContent`, and it has no size
    /// limit. The attachments of the array are rewritten in place.
    package static let localContent = Dialect(
        name: "content",
        title: "Local notification content",
        source: "Apple, UNMutableNotificationContent and UNNotificationAttachment",
        layout: RequestLayout(
            mark: "/attachments/*/url",
            payloads: nil,
            gate: GateRule(alerts: ["/title", "/subtitle", "/body"]),
            category: "/categoryIdentifier",
            measure: .nothing,
        ),
        paths: [
            AttachmentPath(
                url: "/attachments/*/url",
                identifiers: ["/attachments/*/identifier"],
                companions: [
                    CompanionField("/attachments/*/identifier", .identifier, implied: ""),
                    CompanionField("/attachments/*/type", .typeIdentifier, implied: ""),
                    .typeHint(below: "/attachments/*/options"),
                ],
                options: .userNotifications(below: "/attachments/*/options"),
                list: nil,
            )
        ],
    )
}

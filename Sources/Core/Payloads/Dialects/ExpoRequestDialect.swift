extension Dialect {
    /// A request to Expo's push service, for Apple and Android devices alike. The service counts all of it.
    package static let expoRequest = Dialect(
        name: "expo-request",
        title: "Expo, request to its push service",
        source: "expo/expo, docs/pages/push-notifications/sending-notifications.mdx",
        layout: RequestLayout(
            mark: "/richContent/image",
            payloads: nil,
            gate: GateRule(mutableContent: nil, alerts: ["/title", "/subtitle", "/body"]),
            category: "/categoryId",
            measure: .whole,
        ),
        paths: [AttachmentPath(url: "/richContent/image", list: nil, profile: "fcm")],
    )
}

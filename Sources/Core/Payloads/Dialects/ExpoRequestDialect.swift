extension Dialect {
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
}

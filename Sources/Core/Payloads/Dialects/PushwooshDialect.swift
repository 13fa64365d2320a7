extension Dialect {
    /// A text; Home Assistant has an object by the same name.
    package static let pushwoosh = Dialect(
        name: "pushwoosh",
        title: "Pushwoosh",
        source: "Pushwoosh/pushwoosh-ios-sdk, Samples/iPhone/NotificationService/NotificationService.m",
        paths: [AttachmentPath(url: "/attachment")],
    )
}

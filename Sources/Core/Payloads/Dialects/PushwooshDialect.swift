extension Dialect {
    /// The form of Pushwoosh: a string, where Home Assistant has an object under the same key.
    package static let pushwoosh = Dialect(
        name: "pushwoosh",
        title: "Pushwoosh",
        source: "Pushwoosh/pushwoosh-ios-sdk, Samples/iPhone/NotificationService/NotificationService.m",
        paths: [AttachmentPath(url: "/attachment")],
    )
}

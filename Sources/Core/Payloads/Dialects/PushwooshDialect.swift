extension Dialect {
    /// The form of Pushwoosh: a string, where Home Assistant has an object under the same key. The extension takes the
    /// file's type from the end of the URL, with its query.
    package static let pushwoosh = Dialect(
        name: "pushwoosh",
        title: "Pushwoosh",
        source: "Pushwoosh/pushwoosh-ios-sdk@6a5bb42, Samples/iPhone/NotificationService/NotificationService.m",
        paths: [AttachmentPath(url: "/attachment", endsInExtension: true)],
    )
}

extension Dialect {
    package static let adobe = Dialect(
        name: "adobe",
        title: "Adobe Journey Optimizer",
        source: "developer.adobe.com, display rich notifications",
        paths: [AttachmentPath(url: "/adb_media")],
    )
}

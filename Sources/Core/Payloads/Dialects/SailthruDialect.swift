extension Dialect {
    /// The attribute of Sailthru's own guide. Emarsys has the same key, so a payload is found under that name unless this
    /// dialect is asked for.
    package static let sailthru = Dialect(
        name: "sailthru",
        title: "Sailthru Mobile (Carnival)",
        source: "docs.mobile.sailthru.com/docs/ios-rich-push; the SDK's own extension is closed",
        paths: [AttachmentPath(url: "/image_url")],
    )
}

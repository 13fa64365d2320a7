extension Dialect {
    /// The key of Apple's own sample code, and the default.
    package static let myAttachment = Dialect(
        name: "my-attachment",
        title: "Apple's sample",
        source: "Apple, Modifying content in newly delivered notifications",
        paths: [AttachmentPath(url: "/my-attachment")],
    )
}

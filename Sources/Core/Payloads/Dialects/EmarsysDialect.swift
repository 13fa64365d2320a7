extension Dialect {
    /// Version 2 of Emarsys's payload, then version 1.
    package static let emarsys = Dialect(
        name: "emarsys",
        title: "Emarsys",
        source: "me-docs.gservice.emarsys.net",
        paths: [AttachmentPath(url: "/notification/imageUrl"), AttachmentPath(url: "/image_url")],
    )
}

extension Dialect {
    /// The form of Braze. The type is a file extension.
    package static let braze = Dialect(
        name: "braze",
        title: "Braze",
        source: "braze.com/docs, iOS rich notifications",
        paths: [AttachmentPath(url: "/ab/att/url", companions: [CompanionField("/ab/att/type", .filenameExtension)])],
    )
}

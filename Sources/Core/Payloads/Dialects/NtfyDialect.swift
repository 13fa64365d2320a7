extension Dialect {
    /// The form of ntfy. All values are strings, including the size.
    package static let ntfy = Dialect(
        name: "ntfy",
        title: "ntfy",
        source: "binwiederhier/ntfy@81a486a, server/server_firebase.go",
        paths: [
            AttachmentPath(
                url: "/attachment_url",
                companions: [
                    CompanionField("/attachment_type", .mimeType),
                    CompanionField("/attachment_name", .filename),
                    CompanionField("/attachment_size", .byteCount),
                ],
            )
        ],
    )
}

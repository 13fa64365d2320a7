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
    /// A message that is published as JSON. The server and the apps take the attachment's type from its name.
    package static let ntfyRequest = Dialect(
        name: "ntfy-request",
        title: "ntfy, message published as JSON",
        source: "binwiederhier/ntfy@01fd475, server/types.go (publishMessage); docs/publish.md",
        layout: RequestLayout(
            mark: [["/topic"], ["/attach", "/icon", "/message"]],
            payloads: nil,
            gate: .alwaysOpen,
            measure: .nothing,
        ),
        paths: [
            AttachmentPath(url: "/attach", companions: [CompanionField("/filename", .filename)], list: nil),
            .other("/icon", profile: "webpush-icon"),
        ],
    )
}

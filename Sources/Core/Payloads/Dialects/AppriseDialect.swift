extension Dialect {
    /// A notification for an Apprise server, which fetches the attachments and hands them to services of any kind.
    package static let apprise = Dialect(
        name: "apprise",
        title: "Apprise, notification for its API",
        source: "caronc/apprise-api@7144a37, apprise_api/api/tests/test_stateless_notify.py, and its README",
        layout: RequestLayout(
            mark: [["/body"], ["/attach", "/attachment", "/urls"]],
            payloads: nil,
            gate: GateRule(alerts: ["/body", "/title"]),
            measure: .nothing,
        ),
        paths: ["attach", "attachment"].flatMap { key in
            ["/\(key)", "/\(key)/*", "/\(key)/*/url"].map { url in
                AttachmentPath(url: JSONPattern(stringLiteral: url), isAbsolute: true, list: nil)
            }
        },
    )
}

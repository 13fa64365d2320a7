extension Dialect {
    /// The form of Salesforce. `_mediaAlt` becomes the body when the media fails.
    package static let salesforce = Dialect(
        name: "salesforce",
        title: "Salesforce Marketing Cloud",
        source: "developer.salesforce.com, mc_engagement_push_notifications_ios_rich_notifications",
        paths: [AttachmentPath(url: "/_mediaUrl")],
        fallbackBody: "/_mediaAlt",
    )
}

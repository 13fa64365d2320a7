extension Dialect {
    package static let adobeCampaign = Dialect(
        name: "adobe-campaign",
        title: "Adobe Campaign Standard",
        source: "experienceleague.adobe.com/docs/campaign-standard, push-payload and image-push-notification",
        paths: [AttachmentPath(url: "/media-attachment-url")],
    )
}

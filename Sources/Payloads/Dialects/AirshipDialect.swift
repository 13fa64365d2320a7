extension Dialect {
    /// One URL, several in an array, or several with identifiers; the options are those of all. What the extension
    /// does with `content`, new texts to go with the media, is left to it.
    package static let airship = Dialect(
        name: "airship",
        title: "Airship",
        source: "urbanairship/ios-library, AirshipNotificationServiceExtension and its tests",
        paths: airshipPaths(below: "/com.urbanairship/media_attachment"),
    )

    /// Accengage was taken over by Airship, with its own key.
    package static let accengage = Dialect(
        name: "accengage",
        title: "Accengage (Airship)",
        source: "urbanairship/ios-library, AirshipNotificationServiceExtension and its tests",
        paths: airshipPaths(below: "/a4sid"),
    )

    private static func airshipPaths(below root: String) -> [AttachmentPath] {
        let options = OptionFields(
            thumbnailHidden: "\(root)/options/hidden",
            clippingRectangle: "\(root)/options/crop",
            thumbnailTime: "\(root)/options/time",
            thumbnailIdentifier: "\(root)/thumbnail_id",
        )
        return [
            AttachmentPath(url: "\(root)/urls/*/url", identifiers: ["\(root)/urls/*/url_id"], options: options),
            AttachmentPath(url: "\(root)/url", options: options),
            AttachmentPath(url: "\(root)/url/*", options: options),
        ]
    }
}

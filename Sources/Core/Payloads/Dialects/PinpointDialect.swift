extension Dialect {
    /// The form of Pinpoint. The extension takes the file's type from the end of the URL.
    package static let pinpoint = Dialect(
        name: "pinpoint",
        title: "Amazon Pinpoint",
        source: "aws-amplify/amplify-swift-utils-notifications@8cd960e",
        paths: [AttachmentPath(url: "/data/media-url", endsInExtension: true)],
    )
}

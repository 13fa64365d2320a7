extension Dialect {
    package static let acoustic = Dialect(
        name: "acoustic",
        title: "Acoustic Campaign (IBM, Silverpop)",
        source: "IBM's MCENotificationService.m of 2016; the present SDK is closed",
        paths: [AttachmentPath(url: "/media-attachment")],
    )
}

extension Dialect {
    package static let batch = Dialect(
        name: "batch",
        title: "Batch",
        source: "BatchLabs/Batch-iOS-SDK@a543f13, Sources/Batch/BatchInbox.m",
        paths: [AttachmentPath(url: "/com.batch/at/u")],
    )
}

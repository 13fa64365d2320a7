extension Dialect {
    /// The form of Batch. Its extension gives the type to the system as the type hint, and attaches nothing without one.
    package static let batch = Dialect(
        name: "batch",
        title: "Batch",
        source: "BatchLabs/Batch-iOS-SDK-Extension@4085287, Sources/Swift/Rich Notifications/"
            + "RichNotificationHelper.swift",
        paths: [
            AttachmentPath(
                url: "/com.batch/at/u",
                companions: [CompanionField("/com.batch/at/t", .sameForm)],
                required: ["/com.batch/at/t"],
            )
        ],
    )
}

extension Dialect {
    /// An object of several attachments: its keys are identifiers, its values URLs or names of files in the app. The
    /// third form, `at`, is for pushes without an alert, for which no extension runs.
    package static let oneSignal = Dialect(
        name: "onesignal",
        title: "OneSignal",
        source: "OneSignal-iOS-SDK, OneSignalCore/Source/OSNotification.m and OneSignalAttachmentHandler.m",
        paths: [
            AttachmentPath(url: "/os_data/att/*", isIdentifiedByKey: true, isAbsolute: true),
            AttachmentPath(url: "/att/*", isIdentifiedByKey: true, isAbsolute: true),
        ],
    )
}

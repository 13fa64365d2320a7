extension Dialect {
    /// The form that a Firebase message has when it arrives on an Apple device.
    package static let firebase = Dialect(
        name: "firebase",
        title: "Firebase, on the device",
        source: "firebase-ios-sdk, FirebaseMessaging/Sources/FIRMessagingExtensionHelper.m",
        paths: [AttachmentPath(url: "/fcm_options/image")],
    )
}

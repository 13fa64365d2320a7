import NotificationAttachments

/// The app's service extension: `NSExtensionPrincipalClass` in its Info.plist names it.
final class NotificationService: AttachmentService {
    /// Where your own payloads have the URL, for example `["fcm_options", "image"]` with Firebase.
    override var senderKey: [String] { ["my-attachment"] }
}

/// The pages and threads that the linter cites.
enum LintSource {
    private static let apple = "https://developer.apple.com/documentation"

    static let serviceExtension = "\(apple)/usernotifications/unnotificationserviceextension"
    static let modifyingContent =
        "\(apple)/usernotifications/modifying-content-in-newly-delivered-notifications"
    static let attachment = "\(apple)/usernotifications/unnotificationattachment"
    static let payloadSize = "\(apple)/usernotifications/generating-a-remote-notification"
    static let transportSecurity = "\(apple)/bundleresources/information_property_list/nsapptransportsecurity"
    static let localNetworking = "\(transportSecurity)/nsallowslocalnetworking"
    static let firebaseImage = "https://firebase.google.com/docs/cloud-messaging/android/send-image"
    /// The Android developers' page on clear text, which is off by default from Android 9 on.
    static let androidCleartext = "https://developer.android.com/guide/topics/manifest/application-element"
    static let webImage = "https://developer.mozilla.org/docs/Web/API/Notification/image"
    static let mixedContent = "https://developer.mozilla.org/docs/Web/Security/Mixed_content"
    static let webPushSize = "https://www.rfc-editor.org/rfc/rfc8291#section-4"
    static let unicode = "https://www.rfc-editor.org/rfc/rfc8259#section-8.2"
    static let urlCharacters = "https://www.rfc-editor.org/rfc/rfc3986#section-2"
    /// A category with a content extension has no thumbnail, as observed on devices.
    static let hiddenThumbnail = "https://github.com/home-assistant/iOS/issues/5802"
    /// The first attachment makes thumbnail and large picture.
    static let firstAttachment = "https://github.com/MaikuB/flutter_local_notifications/issues/1785"
    /// A URL without an extension is the most frequent cause of a missing picture.
    static let missingExtension = "https://github.com/firebase/firebase-ios-sdk/issues/6590"
    static let dialects = "docs/dialects.md"
    static let driveLinks = "https://developers.google.com/workspace/drive/api/guides/manage-downloads"
    static let dropboxLinks = "https://help.dropbox.com/share/force-download"

    static let amazonSignature = "https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html"
    static let googleSignature = "https://cloud.google.com/storage/docs/authentication/signatures"
    static let azureSignature = "https://learn.microsoft.com/rest/api/storageservices/create-service-sas"
    static let signatureWithTime =
        "https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html"
}

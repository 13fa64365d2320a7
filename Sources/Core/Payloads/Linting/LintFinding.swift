import Base

/// One finding of the linter, with its meaning, the correction, and the source of the rule.
package struct LintFinding: Sendable, Equatable {
    package enum Severity: String, Sendable, CaseIterable {
        /// The attachment, or the whole notification, does not show.
        case error
        /// It does not show everywhere, or not as the sender meant it.
        case warning
        /// It shows, with less than the payload has.
        case note
    }

    package var code: LintCode
    package var severity: Severity
    /// The location of the value in question, if there is one.
    package var pointer: JSONPointer?
    package var meaning: String
    package var advice: String
    /// The page or thread that says so.
    package var source: String

    init(
        _ code: LintCode,
        _ severity: Severity,
        at pointer: JSONPointer? = nil,
        _ meaning: String,
        advice: String,
        source: String,
    ) {
        self.code = code
        self.severity = severity
        self.pointer = pointer
        self.meaning = meaning
        self.advice = advice
        self.source = source
    }

    /// The finding as one of a result's remarks: the code, a colon, and the text.
    package var remark: String {
        let place = pointer.map { "\($0): " } ?? ""
        // Names of the payload, and schemes, come from outside.
        return ("\(code.rawValue): \(place)\(meaning)" + (advice.isEmpty ? "" : " \(advice)")).onOneLine(limit: 1000)
    }

    package var json: JSONValue {
        [
            "code": .string(code.rawValue), "severity": .string(severity.rawValue),
            "pointer": pointer.map { .string($0.description) } ?? .null, "meaning": .string(meaning),
            "advice": .string(advice), "source": .string(source),
        ]
    }
}

// MARK: - Codes

/// The codes of the linter's findings. A code keeps its meaning, so that scripts can rely on it.
package enum LintCode: String, Sendable, CaseIterable {
    /// The notification's mutable mark is missing, so that no service extension runs.
    case mutableContentMissing
    /// No alert shows, so that no service extension runs.
    case alertMissing
    /// A string has a surrogate without its pair.
    case notUnicode
    /// A key resembles a key that the system or a service reads.
    case keyMisspelled
    /// A value is a string where a service expects an object or array of URLs.
    case textNotObject
    /// No dialect finds an attachment.
    case attachmentMissing
    /// The push service refuses the payload for its size.
    case payloadTooLarge
    /// The category's content extension takes the thumbnail's place.
    case categoryHidesThumbnail
    /// There are more attachments than the system shows by itself.
    case severalAttachments
    /// There are more attachments than attachd processes.
    case tooManyAttachments
    /// An option of an attachment has no valid value.
    case optionInvalid
    /// Every attachment asks for a banner without a thumbnail.
    case thumbnailHidden
    /// The URL has no scheme.
    case urlNotAbsolute
    /// The URL has characters that must be encoded.
    case urlNotEncoded
    /// Phones do not download by the URL's scheme.
    case schemeUnsupported
    /// The URL names a file of the sender's machine.
    case fileURL
    /// The URL is not HTTPS.
    case insecureURL
    /// The URL's host is the phone itself, or a machine of a private network.
    case addressUnreachable
    /// The URL leads to a page that shows the file, not to the file.
    case sharePage
    /// The URL's signature has expired.
    case signatureExpired
    /// Neither the URL nor a field tells the file's type.
    case extensionMissing
    /// The type beside the URL and the URL's extension disagree.
    case typeMismatch
    /// The platform does not show the format.
    case formatUnsupported
}

// MARK: - Sources

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

// MARK: - Words

/// Words for numbers in the linter's findings.
enum LintText {
    /// Returns a time in seconds in its largest whole unit, such as `3 hours`.
    static func duration(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        for (length, name) in units where seconds >= length { return count(seconds / length, name) }
        return count(max(0, seconds), "second")
    }

    /// Returns a number with a noun in its singular or plural.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

/// The codes of the linter's findings. A code keeps its meaning, so that scripts can rely on it.
package enum LintCode: String, Sendable, CaseIterable {
    /// The notification's mutable mark is missing, so that no service extension runs.
    case mutableContentMissing
    /// No alert shows, so that no service extension runs.
    case alertMissing
    /// A string has a surrogate without its pair.
    case notUnicode
    /// A key is nearly one that the system or a service reads.
    case keyMisspelled
    /// A text stands where a service reads an object or array of URLs.
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
    /// The URL is of a page that shows a file, and not of the file.
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

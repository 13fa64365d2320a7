/// One attachment that a notification asks for.
package struct AttachmentRequest: Sendable, Equatable {
    /// The sender's identifier, or one made for the attachment: never empty, and unique in its notification.
    package var identifier: String
    package var url: String
    package var options: AttachmentOptions
    /// The profile that the attachment's platform needs, inside a message for several. `nil` leaves the choice to the
    /// request.
    package var profile: String?
    /// A Boolean value that indicates whether no iPhone, iPad or Watch gets the attachment.
    package var isForOthersOnly: Bool
    /// The category of the attachment's notification, as in `aps.category`.
    package var category: String?
    /// The name of the dialect that found it.
    package var dialect: String
    package var pointers: AttachmentPointers
    /// The options that were corrected or left out, each described in a sentence.
    package var remarks: [String]
}

/// The locations of an attachment and its fields in the payload.
package struct AttachmentPointers: Sendable, Equatable {
    package var url: JSONPointer
    /// A Boolean value that indicates whether the URL must end in the file's extension.
    var endsInExtension: Bool
    /// The pointer to the array of ready attachments.
    package var list: JSONPointer?
    /// The pointer to the place of the inline picture in a Live Activity, which gets no URL.
    package var inline: JSONPointer?
    var companions: [Companion]
    /// The pointer to the attachment's clipping rectangle, if there is one.
    var clippingRectangle: JSONPointer?

    /// A companion field and the pointer to it.
    struct Companion: Sendable, Equatable {
        var pointer: JSONPointer
        var content: CompanionField.Content
        var implied: String?
    }
}

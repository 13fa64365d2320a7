/// One attachment that a notification asks for.
package struct AttachmentRequest: Sendable, Equatable {
    /// The sender's, or one made for it: never empty, and no other attachment of the notification has it.
    package var identifier: String
    package var url: String
    package var options: AttachmentOptions
    /// The profile that the attachment's platform needs, inside a message for several. `nil` leaves it to the request.
    package var profile: String?
    /// The category of the notification that it belongs to, as `aps.category` has it.
    package var category: String?
    /// The name of the dialect that found it.
    package var dialect: String
    package var place: AttachmentPlace
    /// What was forgiven or left out of the options, each in a sentence.
    package var remarks: [String]
}

/// Where an attachment stands in its payload.
package struct AttachmentPlace: Sendable, Equatable {
    package var url: JSONPointer
    /// Whether the URL must end in the file's extension.
    var endsInExtension: Bool
    /// Where the array of ready attachments goes.
    var list: JSONPointer?
    var companions: [Companion]
    /// Where its clipping rectangle stands, if it has one.
    var clippingRectangle: JSONPointer?

    /// A companion field in its place.
    struct Companion: Sendable, Equatable {
        var pointer: JSONPointer
        var content: CompanionField.Content
        var implied: String?
    }
}

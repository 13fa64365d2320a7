package import Media

/// What goes on to the push service.
package struct RewrittenPayload: Sendable, Equatable {
    /// How much of the result the payload's limit left room for, from most to least.
    package enum Fit: String, Sendable, CaseIterable {
        /// With the array of ready attachments.
        case listed
        /// Without it.
        case unlisted
        /// Without it, and with the short forms of our URLs.
        case shortened
        /// The payload as it came.
        case original
    }

    package var bytes: [UInt8]
    package var payload: JSONValue
    package var fit: Fit
    /// Why ready attachments did not go into the payload.
    package var failure: AttachmentFailure?
}

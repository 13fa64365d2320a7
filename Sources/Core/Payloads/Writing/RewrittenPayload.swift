package import Media

/// The payload that goes on to the push service.
package struct RewrittenPayload: Sendable, Equatable {
    /// The part of the result that fits into the payload's limit, from most to least.
    package enum Fit: String, Sendable, CaseIterable {
        /// The payload has the array of ready attachments.
        case listed
        /// The payload has no array of ready attachments.
        case unlisted
        /// The payload has no such array, and has the short forms of attachd's URLs.
        case shortened
        /// The payload is as it came.
        case original
    }

    package var bytes: [UInt8]
    package var payload: JSONValue
    package var fit: Fit
    /// The reason why ready attachments did not go into the payload.
    package var failure: AttachmentFailure?
}

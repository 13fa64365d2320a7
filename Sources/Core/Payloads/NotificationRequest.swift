/// A notification on its way to the device, and the attachments that it asks for.
package struct NotificationRequest: Sendable, Equatable {
    package var identifier: String
    package var payload: JSONValue
    /// The payload as it came: what goes out when nothing was rewritten.
    package var original: [UInt8]
    package var pushType: PushType
    /// Whether it may be rewritten at all. Attachments are only there if it may.
    package var gate: Eligibility
    /// In the order of the payload; the first makes the thumbnail.
    package var attachments: [AttachmentRequest]
    /// How the attachments were found.
    package var explanation: Explanation

    let measure: Envelope.Measure
    let fallbackBody: FallbackBody?

    /// What the push service counts of `payload` against the limit of `pushType`.
    package func byteCount(of payload: JSONValue) -> Int { measure.byteCount(of: payload) }

    /// The text that stands in for an attachment that failed, and where it goes.
    struct FallbackBody: Sendable, Equatable {
        var pointer: JSONPointer
        var text: JSONValue
    }
}

/// The kinds of push that have limits of their own (`apns-push-type`).
package enum PushType: String, Sendable, CaseIterable {
    case alert, voip

    /// All of them, for a message that says what to write.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The most bytes of payload that APNs takes ("Generating a remote notification", Apple); FCM's limit is the same
    /// as that of an alert.
    package var byteLimit: Int {
        switch self {
        case .alert: 4096
        case .voip: 5120
        }
    }
}

/// A notification on its way to the device, and the attachments that it asks for.
package struct NotificationRequest: Sendable, Equatable {
    package var identifier: String
    package var payload: JSONValue
    /// The payload with the JSON of its strings in their places. The pointers of attachments lead through it.
    let content: JSONValue
    /// The strings of the payload that hold payloads of their own.
    let strings: [PayloadString]
    /// The payload as it came, which is sent when nothing was rewritten.
    package var original: [UInt8]
    package var pushType: PushType
    /// The verdict whether the payload may be rewritten. If it may not, there are no attachments.
    package var gate: Eligibility
    /// The attachments in the order of the payload. The first makes the thumbnail.
    package var attachments: [AttachmentRequest]
    /// The attachments that nothing is done with, because of the gate.
    let held: [Held]
    /// The remarks on the notification as a whole.
    let ownRemarks: [String]
    /// The reasons for the attachments that were found.
    package var explanation: Explanation

    let measures: [PayloadMeasure]
    let fallbackBody: FallbackBody?

    /// Returns the number of bytes of `payload` that the push service counts against the limit of `pushType`.
    package func byteCount(of payload: JSONValue) -> Int {
        byteCount(of: payload, opened: payload.opening(strings))
    }

    /// Returns the number of bytes of `payload` that count. In `content`, its strings are open.
    func byteCount(of payload: JSONValue, opened content: JSONValue) -> Int {
        measures.map { $0.byteCount(of: payload, opened: content) }.max() ?? 0
    }

    /// An attachment that a gate holds back, and the reason.
    struct Held: Sendable, Equatable {
        var attachment: AttachmentRequest
        var gate: Eligibility
    }

    /// The text that replaces the alert's body when an attachment failed, and the pointer to that body.
    struct FallbackBody: Sendable, Equatable {
        var pointer: JSONPointer
        var text: JSONValue
    }
}

/// The part of a body that a push service counts: the payload or request at `base`, or all of the body as it is sent.
struct PayloadMeasure: Sendable, Equatable {
    let base: JSONPointer?
    let measure: RequestLayout.Measure

    /// The measure of a body around a string: only its sender knows what becomes of it, so all of it counts.
    static let all = PayloadMeasure(base: nil, measure: .whole)

    /// Returns the bytes that count in `body`. In `content`, strings with payloads are open.
    func byteCount(of body: JSONValue, opened content: JSONValue) -> Int {
        measure.byteCount(of: base.map { content.value(at: $0) ?? .null } ?? body)
    }
}

/// The kinds of push that have limits of their own (`apns-push-type`).
package enum PushType: String, Sendable, CaseIterable {
    case alert, voip

    /// The names of all types, for a message that says what to write.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The most bytes of payload that APNs takes ("Generating a remote notification", Apple). FCM's limit is that of an
    /// alert.
    package var byteLimit: Int {
        switch self {
        case .alert: 4096
        case .voip: 5120
        }
    }
}

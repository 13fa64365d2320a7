/// A notification on its way to the device, and the attachments that it asks for.
package struct NotificationRequest: Sendable, Equatable {
    package var identifier: String
    package var payload: JSONValue
    /// The payload with the JSON of its strings in their places. The pointers of attachments lead through it.
    let content: JSONValue
    /// The strings of the payload that contain other payloads.
    let strings: [PayloadString]
    /// The payload as it came, which is sent when nothing was rewritten.
    package var original: [UInt8]
    package var pushType: PushType
    /// The decision whether the payload may be rewritten. If it may not, there are no attachments.
    package var gate: Eligibility
    /// The attachments in the order of the payload. The first makes the thumbnail.
    package var attachments: [AttachmentRequest]
    /// The attachments that are not processed because of the gate.
    let held: [Held]
    /// The remarks on the notification as a whole.
    let ownRemarks: [String]
    /// The reasons for the attachments that were found.
    package var explanation: Explanation

    let measures: [PayloadMeasure]
    let fallbackBody: FallbackBody?

    /// Returns the number of bytes of `payload` that the push service counts against the limit of `pushType`.
    package func byteCount(of payload: JSONValue) -> Int {
        byteCount(of: payload, opened: payload.opening(strings), written: payload.compactBytes)
    }

    /// Returns the number of bytes of `payload` that count. In `content`, its strings are open; `bytes` is its compact JSON.
    func byteCount(of payload: JSONValue, opened content: JSONValue, written bytes: [UInt8]) -> Int {
        measures.map { measure in
            let isWhole =
                measure == .all || strings.isEmpty && measure == PayloadMeasure(base: JSONPointer(), measure: .whole)
            return isWhole ? bytes.count : measure.byteCount(of: payload, opened: content)
        }
        .max() ?? 0
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

/// The kinds of push with different limits (`apns-push-type`).
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

// MARK: - Attachments

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

// MARK: - Errors

/// The reason why a request does not contain the payload of a notification.
package enum PayloadError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON(JSONError)
    case tooLarge(byteCount: Int, limit: Int)
    case notAnObject
    /// The payload has neither an `aps` object nor the form of a request that one of these dialects describes. It may
    /// have media nevertheless.
    case noNotification(lookedFor: [String], media: MediaPlaces)
    case unknownDialect(String, known: [String])

    private static let example = #"{"aps": {"alert": "…", "mutable-content": 1}, "my-attachment": "https://…"}"#

    package var description: String {
        switch self {
        case .notJSON(let error): "The payload is not JSON: \(error)"
        case .tooLarge(let byteCount, let limit):
            "The payload has \(byteCount) bytes; at most \(limit) are allowed. Send large content by URL."
        case .notAnObject: "The payload is JSON but not an object. Send an object such as \(Self.example)."
        case .noNotification(let requests, let media):
            "The payload has no `aps` object, and it does not fit a request that attachd knows: "
                + "\(requests.joined(separator: ", ")). Send it as the push service gets it, such as \(Self.example). "
                + "`attachd dialects --detect FILE` shows what is missing for each dialect; `attachd dialects` lists them."
                + (media.isEmpty ? "" : " \(media.sentence)")
        case .unknownDialect(let name, let known):
            "\"\(name)\" is not a dialect. Choose one of \(known.joined(separator: ", ")), or leave it out."
        }
    }
}

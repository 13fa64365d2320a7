package import Media
package import Payloads
package import ServiceExtension
import Timing

/// The result of one notification: the payload to send, its attachments, and the time of each stage.
package struct ProcessingResult: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// Every attachment reached its last useful rung.
        case complete
        /// At least one attachment, or the sender's fallback text, was delivered, but something was left out or came
        /// from an earlier rung.
        case degraded
        /// No attachment was delivered. The payload is unchanged.
        case original
    }

    /// A delivered attachment.
    package struct Attachment: Sendable {
        package var identifier: String
        package var stored: StoredAttachment
        package var report: RungReport
        package var sourceURL: String
        package var source: AttachmentSource
        /// A Boolean value that indicates whether the image was cropped to the clipping rectangle of its options.
        package var isClipped: Bool
    }

    /// The failure of one attachment, or of the payload.
    package struct Failure: Sendable {
        package var attachment: String?
        package var failure: AttachmentFailure
    }

    /// The duration of one stage.
    package struct Timing: Sendable {
        package var stage: String
        package var milliseconds: Int
    }

    /// The request that this is the result of.
    package let request: ProcessingRequest
    package let identifier: String
    package let outcome: Outcome
    /// The rewritten payload, or the original bytes.
    package let payload: [UInt8]
    package let payloadValue: JSONValue
    package let attachments: [Attachment]
    package let failures: [Failure]
    /// The linter's findings on the payload as it goes on: a code, a colon, and the text.
    package let remarks: [String]
    /// The chosen dialect and profiles with the reasons, as lines for people.
    package let explanation: String
    package let stages: [Stopwatch.Stage: Duration]
    package let total: Duration
    /// The time left until the deadline at delivery.
    package let margin: Duration

    /// The durations of the stages in order, and the total, in milliseconds.
    package var timings: [Timing] { Timing.all(stages, total: total) }
}

extension ProcessingResult.Timing {
    /// Returns the durations of the stages in order, and the total.
    static func all(_ stages: [Stopwatch.Stage: Duration], total: Duration) -> [Self] {
        Stopwatch.Stage.allCases.map { Self(stage: $0.rawValue, milliseconds: (stages[$0] ?? .zero).milliseconds) }
            + [Self(stage: "total", milliseconds: total.milliseconds)]
    }
}

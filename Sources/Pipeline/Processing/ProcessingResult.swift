package import Media
package import Payloads
package import ServiceExtension
import Timing

/// What became of one notification: the payload to send, its attachments, and where the time went.
package struct ProcessingResult: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// Every attachment reached its last useful rung.
        case complete
        /// At least one attachment is there, or the text that the sender has for when it fails; and something was left
        /// out or came from an earlier rung.
        case degraded
        /// No attachment; the payload is unchanged.
        case original
    }

    /// One delivered attachment.
    package struct Attachment: Sendable {
        package var identifier: String
        package var stored: StoredAttachment
        package var report: RungReport
        package var sourceURL: String
        package var source: AttachmentSource
        /// Whether it was cropped to the clipping rectangle among its options.
        package var isClipped: Bool
    }

    /// What went wrong with one attachment, or with the payload.
    package struct Failure: Sendable {
        package var attachment: String?
        package var failure: AttachmentFailure
    }

    /// How long one stage took.
    package struct Timing: Sendable {
        package var stage: String
        package var milliseconds: Int
    }

    /// What was processed.
    package let request: ProcessingRequest
    package let identifier: String
    package let outcome: Outcome
    /// The rewritten payload, or the original one as it came.
    package let payload: [UInt8]
    package let payloadValue: JSONValue
    package let attachments: [Attachment]
    package let failures: [Failure]
    /// What was forgiven or left out of the payload's options, each in a sentence.
    package let remarks: [String]
    /// Which dialect and which profiles were chosen, and why: lines for a person.
    package let explanation: String
    package let stages: [Stopwatch.Stage: Duration]
    package let total: Duration
    /// What was left until the deadline at delivery.
    package let margin: Duration

    /// The stages in order, and the total, in milliseconds.
    package var timings: [Timing] {
        Stopwatch.Stage.allCases.map { Timing(stage: $0.rawValue, milliseconds: (stages[$0] ?? .zero).milliseconds) }
            + [Timing(stage: "total", milliseconds: total.milliseconds)]
    }
}

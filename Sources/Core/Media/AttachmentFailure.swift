/// The reason why an attachment, or a better version of it, could not be delivered.
package struct AttachmentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Stage: String, Sendable, CaseIterable {
        case payload, download, decode, store
    }

    /// A closed set with stable raw values: they are metric labels and names in results.
    package enum Reason: String, Sendable, CaseIterable {
        case invalidURL, refusedScheme, refusedAddress, connectionFailed, tlsFailed, originUnavailable
        case httpStatus, tooManyRedirects, truncated, stalled, timedOut, cancelled, sourceChanged, originLied
        case empty, tooLarge
        case unrecognizedFormat, unsupportedFormat, disabled, corrupt, tooManyPixels, resourceLimit
        case decoderDied, decoderUnavailable, decoderLied
        case durationMissing, soundMissing
        case storeFull, storeFailed, publishFailed, forgotten
        case payloadTooLarge, internalError, workerStopped
    }

    /// The true cause of `refusedAddress`. It reveals the operator's own network: it belongs in logs, never in a
    /// result.
    package struct ConcealedCause: Sendable, Equatable, CustomStringConvertible {
        package var host: String
        /// The refused address and the reason, or `nil` if the host has no address.
        package var refusal: String?

        package init(host: String, refusal: String?) { (self.host, self.refusal) = (host, refusal) }

        package var isUnresolved: Bool { refusal == nil }
        package var description: String { refusal.map { "\(host): \($0)" } ?? "\(host) has no address" }
    }

    package var stage: Stage
    package var reason: Reason
    /// The failure in words for a person, with advice. It never quotes an origin or a decoder.
    package var message: String
    package var concealedCause: ConcealedCause?

    package init(_ stage: Stage, _ reason: Reason, _ message: String) {
        self.stage = stage
        self.reason = reason
        self.message = message
    }

    package var description: String { "\(stage.rawValue): \(message)" }

    /// The error that UserNotifications has for this failure on the device, if there is one.
    package var code: UserNotificationsErrorCode? {
        switch reason {
        case .invalidURL, .refusedScheme, .refusedAddress, .connectionFailed, .tlsFailed,
            .originUnavailable, .httpStatus, .tooManyRedirects:
            .attachmentInvalidURL
        case .unrecognizedFormat, .unsupportedFormat, .disabled: .attachmentUnrecognizedType
        case .empty, .tooLarge, .tooManyPixels: .attachmentInvalidFileSize
        case .storeFull, .storeFailed, .publishFailed: .attachmentMoveIntoDataStoreFailed
        case .corrupt, .truncated, .sourceChanged, .originLied: .attachmentCorrupt
        case .stalled, .timedOut, .cancelled, .resourceLimit, .decoderDied, .decoderUnavailable, .decoderLied,
            .durationMissing, .soundMissing, .payloadTooLarge, .internalError, .forgotten, .workerStopped:
            nil
        }
    }
}

/// The codes of `UNErrorDomain` that concern attachments (UNError.h).
package enum UserNotificationsErrorCode: Int, Sendable {
    case attachmentInvalidURL = 100
    case attachmentUnrecognizedType = 101
    case attachmentInvalidFileSize = 102
    case attachmentNotInDataStore = 103
    case attachmentMoveIntoDataStoreFailed = 104
    case attachmentCorrupt = 105

    package var name: String { "\(self)" }
}

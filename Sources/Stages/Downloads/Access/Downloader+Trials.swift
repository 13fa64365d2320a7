package import Base
import HTTPClient
import Media

/// The result of trying the access of a rule.
package struct AccessTrial: Sendable, Equatable {
    package var isWorking: Bool
    /// The result in words, for the operator.
    package var detail: String
}

extension Downloader {
    /// Tries the access of a rule: its credentials are read, its origin is asked for the rule's folder, or its bucket for
    /// an object that does not exist. Returns `nil` for a rule without access.
    package func trial(of rule: AccessRule, until deadline: Instant) async -> AccessTrial? {
        guard rule.access != nil else { return nil }
        do {
            guard let credentials = try rule.credentials else { return nil }
            switch rule.match {
            case .pattern: return nil
            case .place(let place):
                let url = try DownloadURL(String(place.description.dropLast()))
                let message = OutgoingMessage(.get, headers: [:])
                return Self.trial(of: try await send(message, to: url, as: credentials, of: rule, until: deadline))
            case .objects(let bucket):
                let name = "attachd-check-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
                let message = OutgoingMessage(.get, headers: [:])
                let url = try DownloadURL(bucket.url(of: name))
                return Self.trial(
                    ofBucket: try await send(message, to: url, as: credentials, of: rule, until: deadline)
                )
            }
        } catch let failure as AttachmentFailure {
            let cause = failure.concealedCause.map { " (\($0))" } ?? ""
            return AccessTrial(isWorking: false, detail: failure.message + cause)
        } catch let error as DownloadURL.ParseError {
            return AccessTrial(isWorking: false, detail: error.text)
        } catch {
            return AccessTrial(isWorking: false, detail: "\(error)")
        }
    }

    private func send(
        _ message: OutgoingMessage,
        to url: DownloadURL,
        as credentials: RequestCredentials,
        of rule: AccessRule,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> MessageAnswer {
        var message = message
        message.signature = credentials.signature
        message.secretLines = credentials.headerFields
        return try await client.send(message, to: url, with: rule.connectionAccess, until: deadline)
    }

    private static func trial(of answer: MessageAnswer) -> AccessTrial {
        switch answer.status {
        case 401: AccessTrial(isWorking: false, detail: "the origin refuses the key with HTTP status 401")
        case 500...: AccessTrial(isWorking: false, detail: "the origin answered with HTTP status \(answer.status)")
        case 403: AccessTrial(isWorking: true, detail: "the origin answered; its folder has HTTP status 403")
        default: AccessTrial(isWorking: true, detail: "the origin answered with HTTP status \(answer.status)")
        }
    }

    private static func trial(ofBucket answer: MessageAnswer) -> AccessTrial {
        let code = StoreErrorCode(in: answer.body)
        let name = code.map { " (\($0.rawValue))" } ?? ""
        switch (answer.status, code) {
        case (404, nil), (200, _): return AccessTrial(isWorking: true, detail: "the bucket answered a signed request")
        case (403, .accessDenied):
            // Without the right to list, a store says this of an object that does not exist.
            return AccessTrial(isWorking: true, detail: "the store knows the key, which may not list the bucket")
        default:
            let advice = code?.readingAdvice.map { ". \($0)" } ?? ""
            return AccessTrial(
                isWorking: false,
                detail: "the store answered with HTTP status \(answer.status)\(name)\(advice)",
            )
        }
    }
}

extension StoreErrorCode {
    /// The advice for the operator whose rule reads from the bucket, as a sentence.
    fileprivate var readingAdvice: String? {
        switch self {
        case .accessDenied: "Allow these credentials to read objects (s3:GetObject)."
        case .signatureDoesNotMatch: "The secret access key or the rule's region is wrong."
        case .noSuchBucket: "Check the rule's match and endpoint."
        case .authorizationHeaderMalformed, .permanentRedirect, .temporaryRedirect:
            "The bucket is in another region or at another endpoint. Check the rule's region and endpoint."
        default: advice
        }
    }
}

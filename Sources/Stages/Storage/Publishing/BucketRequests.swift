import Base
import HTTPClient
import Media

/// The signed requests to a bucket. Each request is sent once, without retries.
struct BucketRequests: Sendable {
    private let address: BucketAddress
    private let credentials: CredentialsSource
    /// The value of `Cache-Control`. The content of a file never changes under its name.
    private let cacheControl: String
    private let client: HTTPClient

    init(_ settings: PublishingSettings, keep: Duration) {
        address = settings.address
        credentials = settings.credentials
        cacheControl = "public, max-age=\(keep.components.seconds), immutable"
        var requests = settings.requests
        requests.name = "publishing"
        client = HTTPClient(settings: requests)
    }

    func stop() { client.stop() }

    func put(_ file: PublishedFile, until deadline: Instant) async throws(BucketError) {
        let headers = [
            "Cache-Control": cacheControl,
            "Content-Disposition": "inline; filename=\"\(file.name)\"",
            "Content-Type": file.format.mimeType,
            "X-Amz-Content-Sha256": file.sha256,
        ]
        try await send(.put(.file(file.file, byteCount: file.byteCount)), file.name, headers, until: deadline)
    }

    func putEmpty(_ name: String, until deadline: Instant) async throws(BucketError) {
        let headers = ["Content-Type": "text/plain", "X-Amz-Content-Sha256": SignatureV4.emptyHash]
        try await send(.put(.bytes([])), name, headers, until: deadline)
    }

    func delete(_ name: String, until deadline: Instant) async throws(BucketError) {
        try await send(.delete, name, ["X-Amz-Content-Sha256": SignatureV4.emptyHash], until: deadline)
    }

    private func send(
        _ action: OutgoingMessage.Action,
        _ name: String,
        _ headers: [String: String],
        until deadline: Instant,
    ) async throws(BucketError) {
        let answer: MessageAnswer
        do throws(AttachmentFailure) {
            let credentials = try currentCredentials()
            var message = OutgoingMessage(action, headers: headers)
            message.secretHeaders["X-Amz-Security-Token"] = credentials.sessionToken
            message.signature = SignatureV4(credentials, region: address.region)
            answer = try await client.send(message, to: address.url(of: name), until: deadline)
        } catch {
            throw BucketError(error, address)
        }
        guard (200..<300).contains(answer.status) else { throw BucketError(answer, address) }
    }

    private func currentCredentials() throws(AttachmentFailure) -> BucketCredentials {
        do throws(CredentialsError) {
            return try credentials.credentials()
        } catch {
            throw AttachmentFailure(.store, .publishFailed, error.description)
        }
    }
}

// MARK: - Errors

/// A failed request to a bucket.
struct BucketError: Error {
    /// The description of the failure, in sentences.
    private let event: String
    private let bucket: BucketAddress
    /// A Boolean value that indicates whether the same request may succeed soon.
    let isPassing: Bool
    /// A Boolean value that indicates whether the request ran out of time, so that it may succeed with more time.
    let isLate: Bool

    /// The reasons of temporary failures without an answer.
    private static let passing: Set<AttachmentFailure.Reason> = [
        .connectionFailed, .truncated, .stalled,
    ]

    /// Creates the error of an answer that is not a success.
    init(_ answer: MessageAnswer, _ bucket: BucketAddress) {
        let code = StoreErrorCode(in: answer.body)
        let name = code.map { " (\($0.rawValue))" } ?? ""
        let advice = code?.advice.map { " \($0)" } ?? ""
        event = "\(bucket.authority) answered with HTTP status \(answer.status)\(name).\(advice)"
        self.bucket = bucket
        isPassing = [408, 429, 500, 502, 503, 504].contains(answer.status) || code == .requestTimeout
        isLate = false
    }

    /// Creates the error of a request without an answer.
    init(_ cause: AttachmentFailure, _ bucket: BucketAddress) {
        isLate = cause.reason == .timedOut
        isPassing = Self.passing.contains(cause.reason) || cause.concealedCause?.isUnresolved == true
        // The operator named the bucket and may see why it cannot be reached.
        let detail = cause.concealedCause.map { " (\($0))" } ?? ""
        event = isLate ? "\(bucket.authority) didn't answer in time." : cause.message + detail
        self.bucket = bucket
    }

    /// Creates the error of a request that was not sent, because the bucket failed repeatedly, most recently with
    /// `last`. It is used again after `pause`.
    init(refusedFor pause: Duration?, after last: BucketError?, _ bucket: BucketAddress) {
        let time = pause.map { "for another \(max(1, ($0.milliseconds + 999) / 1000)) s" } ?? "but by one file"
        event = "It failed again and again and is not tried \(time). \(last?.event ?? "")"
        self.bucket = bucket
        isPassing = false
        isLate = false
    }

    var failure: AttachmentFailure {
        AttachmentFailure(.store, .publishFailed, "The bucket \(bucket.name) cannot be written to: \(event)")
    }
}

import HTTPClient
import Media
import Timing

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

import Base
import Downloads
import HTTPClient
import Jobs
import Media
import Settings
import Sidecar
import Storage
import Synchronization

/// A sender that posts signed answers with libcurl, only to allowed addresses.
struct PostedCallbacks: CallbackPoster {
    let client: HTTPClient
    let signer: MessageSigner

    func post(_ callback: CallbackRequest) async -> CallbackResult {
        let host = CallbackURL.host(of: callback.url)
        if let refusal = client.refusal(ofCallback: callback.url) {
            return CallbackResult(.refused, reason: "The callback URL can never be used: \(refusal).", host: host)
        }
        var headers = callback.headers
        headers["Content-Type"] = "application/json"
        headers["Attachd-Signature"] = signer.signature(of: callback.body)
        let message = OutgoingMessage(body: callback.body, headers: headers)
        do throws(CallbackAddressError) {
            switch try await client.post(message, to: callback.url, until: callback.deadline).status {
            case 200..<300: return CallbackResult(.received, host: host)
            // Gone: the receiver wants no more callbacks (RFC 9110 §15.5.11).
            case 410:
                return CallbackResult(
                    .refused,
                    reason: "The receiver answered with HTTP status 410 (Gone).",
                    host: host
                )
            case let status:
                return CallbackResult(.failed, reason: "The receiver answered with HTTP status \(status).", host: host)
            }
        } catch {
            return switch error {
            // Only a refusal of the URL itself is final: its name may resolve to another address next time.
            case .failed(let failure): CallbackResult(.failed, reason: failure.message, host: host)
            case .notNow(let failure, let pause):
                CallbackResult(.postponed, reason: failure.message, host: host, pause: pause)
            }
        }
    }
}

// MARK: - Responses

/// The operator's server for responses to notifications: it receives them, and its answer decides the next step.
///
/// It may have any address, also on this machine: only the operator's configuration names it, never a payload.
/// Redirects are not followed.
final class ResponseWebhook: ResponsePoster {
    private let url: String
    private let signer: MessageSigner
    private let client: HTTPClient
    /// The time limit of one request. A person looks at the notification and waits.
    private static let timeLimit: Duration = .seconds(10)
    /// The most simultaneous posts. The next one is refused at once: a slow webhook must not take the connections that
    /// all clients need.
    private static let postLimit = 64
    private let postCount = Atomic(0)

    init(_ url: String, _ settings: Settings, signer: MessageSigner) {
        var http = settings.downloads.http
        http.addresses = .everywhere
        http.name = "webhook"
        self.url = url
        self.signer = signer
        client = HTTPClient(settings: http)
    }

    /// Posts a response, signed like callbacks, and returns the body of the answer.
    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8] {
        defer { postCount.wrappingSubtract(1, ordering: .relaxed) }
        guard postCount.wrappingAdd(1, ordering: .relaxed).newValue <= Self.postLimit else {
            let message = "\(Self.postLimit) responses already wait for the webhook. Try again shortly."
            throw AttachmentFailure(.download, .originUnavailable, message)
        }
        let headers = ["Content-Type": "application/json", "Attachd-Signature": signer.signature(of: response)]
        let message = OutgoingMessage(body: response, headers: headers)
        let answer = try await client.send(message, to: url, until: SystemTime().now + Self.timeLimit)
        guard answer.status == 200 else {
            throw AttachmentFailure(
                .download,
                .httpStatus,
                "The webhook answered with HTTP status \(answer.status) instead of 200."
            )
        }
        if let failure = answer.failure { throw failure }
        return answer.body
    }

    func shutDown() { client.stop() }
}

import HTTPClient
import Media
import Storage
import Worker

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

import Downloads
import Media
import Storage
import Worker

/// Answers posted by libcurl, signed, to addresses that may be fetched from and no others.
struct PostedCallbacks: CallbackPoster {
    let downloader: Downloader
    let signer: MessageSigner

    func post(_ callback: CallbackRequest) async -> CallbackOutcome {
        var headers = callback.headers
        headers["Content-Type"] = "application/json"
        headers["Attachd-Signature"] = signer.signature(of: callback.body)
        let message = OutgoingMessage(body: callback.body, headers: headers)
        do throws(AttachmentFailure) {
            switch try await downloader.send(message, to: callback.url, until: callback.deadline).status {
            case 200..<300: return .received
            // Gone: who is there wants no more.
            case 410: return .refused
            default: return .failed
            }
        } catch {
            return Self.hopeless.contains(error.reason) ? .refused : .failed
        }
    }

    private static let hopeless: Set<AttachmentFailure.Reason> = [.invalidURL, .refusedScheme, .refusedAddress]
}

import Downloads
import Media
import Sidecar
import Storage
import Synchronization
import Timing

/// The operator's own server, which is told what people do with notifications and says what becomes of them.
///
/// It is dialled wherever it is, on this machine too: whoever configures attachd names it, and no payload can. Redirects
/// are not followed.
final class ResponseWebhook: ResponsePoster {
    private let url: String
    private let signer: MessageSigner
    private let downloader: Downloader
    /// Somebody looks at the notification and waits.
    private static let timeLimit: Duration = .seconds(10)
    /// One more is refused at once: a webhook that is slow must not hold the connections that all clients need.
    private static let postLimit = 64
    private let postCount = Atomic(0)

    init(_ url: String, _ settings: Settings, signer: MessageSigner) throws(EngineError) {
        var downloads = settings.downloads
        downloads.addresses = .everywhere
        downloads.name = "webhook"
        self.url = url
        self.signer = signer
        do throws(AttachmentFailure) {
            downloader = try Downloader(settings: downloads)
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
    }

    /// Posts a response, signed as callbacks are, and gives the body of the answer.
    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8] {
        defer { postCount.wrappingSubtract(1, ordering: .relaxed) }
        guard postCount.wrappingAdd(1, ordering: .relaxed).newValue <= Self.postLimit else {
            let message = "\(Self.postLimit) responses already wait for it. Try again shortly."
            throw AttachmentFailure(.download, .originUnavailable, message)
        }
        let headers = ["Content-Type": "application/json", "Attachd-Signature": signer.signature(of: response)]
        let message = OutgoingMessage(body: response, headers: headers)
        let answer = try await downloader.send(message, to: url, until: SystemTime().now + Self.timeLimit)
        guard answer.status == 200 else {
            throw AttachmentFailure(.download, .httpStatus, "It answered \(answer.status), and 200 is wanted.")
        }
        if let failure = answer.failure { throw failure }
        return answer.body
    }

    func shutDown() { downloader.stop() }
}

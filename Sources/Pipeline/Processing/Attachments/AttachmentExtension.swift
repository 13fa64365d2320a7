import Media
import Payloads
import ServiceExtension
import Timing

/// The service extension that processes all attachments of a notification in parallel.
struct AttachmentExtension: NotificationServiceExtension {
    let cache: AttachmentCache
    let rules: [SourceRule]
    let request: ProcessingRequest
    let expiry: Instant
    let stopwatch: Stopwatch

    func didReceive(_ request: NotificationRequest, bestAttempt: BestAttempt) async -> NotificationContent {
        await withDiscardingTaskGroup { group in
            for (index, attachment) in request.attachments.enumerated() {
                group.addTask { await prepare(attachment, index, bestAttempt) }
            }
        }
        return bestAttempt.content
    }

    /// Processes one attachment, and records its progress in `bestAttempt`.
    private func prepare(_ attachment: AttachmentRequest, _ index: Int, _ bestAttempt: BestAttempt) async {
        let key = request.key(of: index, rules: rules)
        await cache.make(key, from: attachment.url, until: expiry) { [stopwatch] progress in
            bestAttempt.update(index) { $0 = progress.content }
            if let downloaded = progress.downloaded { stopwatch.finish(.download, at: downloaded) }
        }
    }
}

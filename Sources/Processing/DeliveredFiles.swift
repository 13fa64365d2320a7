import Media
import ServiceExtension

/// Stores what a content is delivered with, and gives up on what takes too long.
struct DeliveredFiles: Sendable {
    let store: any AttachmentStoring
    let time: any TimeSource

    typealias Outcome = Result<StoredAttachment, AttachmentFailure>

    /// One outcome for each attachment that has something ready. A store that hangs is left behind at `expiry`.
    func store(_ content: NotificationContent, until expiry: Instant) async -> [Int: Outcome] {
        let ready = content.attachments.enumerated().compactMap { index, attachment in
            attachment.ready.map { (index, $0) }
        }
        guard !ready.isEmpty else { return [:] }
        return await time.answer(by: expiry) { [store] in
            var outcomes: [Int: Outcome] = [:]
            for (index, rung) in ready {
                do throws(AttachmentFailure) {
                    outcomes[index] = .success(try await store.store(rung))
                } catch {
                    outcomes[index] = .failure(error)
                }
            }
            return outcomes
        } else: {
            let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
            return Dictionary(uniqueKeysWithValues: ready.map { ($0.0, .failure(late)) })
        }
    }
}

import Media
import ServiceExtension
import Synchronization

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
        let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
        let outcomes = Outcomes(Dictionary(uniqueKeysWithValues: ready.map { ($0.0, .failure(late)) }))
        return await time.answer(by: expiry) { [store] in
            await withDiscardingTaskGroup { group in
                for (index, rung) in ready {
                    group.addTask {
                        do throws(AttachmentFailure) {
                            outcomes.set(index, .success(try await store.store(rung, until: expiry)))
                        } catch {
                            outcomes.set(index, .failure(error))
                        }
                    }
                }
            }
            return outcomes.all
        } else: {
            outcomes.all
        }
    }

    /// What has become of each attachment so far: late, until it is known.
    private final class Outcomes: Sendable {
        private let outcomes: Mutex<[Int: Outcome]>

        init(_ outcomes: [Int: Outcome]) { self.outcomes = Mutex(outcomes) }

        var all: [Int: Outcome] { outcomes.withLock { $0 } }

        func set(_ index: Int, _ outcome: Outcome) { outcomes.withLock { $0[index] = outcome } }
    }
}

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
        var known: [Int: Outcome] = [:]
        var ready: [(Int, SharedRung)] = []
        for (index, attachment) in content.attachments.enumerated() {
            if let stored = attachment.stored {
                known[index] = .success(stored)
            } else if let rung = attachment.ready {
                known[index] = .failure(Self.late)
                ready.append((index, rung))
            }
        }
        guard !ready.isEmpty else { return known }
        let outcomes = Outcomes(known)
        return await time.answer(by: expiry) { [ready] in
            for (index, rung) in ready {
                do throws(AttachmentFailure) {
                    outcomes.set(index, .success(try await deliver(rung)))
                } catch {
                    outcomes.set(index, .failure(error))
                }
            }
            return outcomes.all
        } else: {
            outcomes.all
        }
    }

    /// What another notification has had stored gets a URL of this one's own.
    private func deliver(_ rung: SharedRung) async throws(AttachmentFailure) -> StoredAttachment {
        guard let stored = rung.stored else {
            return try await rung.stored { [store] rung throws(AttachmentFailure) in try await store.store(rung) }
        }
        guard let renewed = await store.renew(stored) else { throw Self.gone }
        return renewed
    }

    private static let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
    private static let gone = AttachmentFailure(
        .store,
        .storeFailed,
        "The attachment was removed from the store before it was delivered. Raise --quota.",
    )

    /// What has become of each attachment so far: late, until it is known.
    private final class Outcomes: Sendable {
        private let outcomes: Mutex<[Int: Outcome]>

        init(_ outcomes: [Int: Outcome]) { self.outcomes = Mutex(outcomes) }

        var all: [Int: Outcome] { outcomes.withLock { $0 } }

        func set(_ index: Int, _ outcome: Outcome) { outcomes.withLock { $0[index] = outcome } }
    }
}

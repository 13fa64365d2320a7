import Base
import Media
import Payloads

/// The last step of an attachment: its file on the way into the store, with a time limit.
struct DeliveredFiles: Sendable {
    let steps: RecordedSteps
    let time: any TimeSource
    /// The identity of each attachment's source, by index.
    let sources: [String]
    let isForgotten: @Sendable (String) -> Bool

    private var store: any AttachmentStoring { steps.store }

    /// Stores every attachment that has an output, and returns the attachments with their files. Those whose file could
    /// not be stored have the reason. Stops waiting for a store that hangs at `expiry`.
    func store(_ attachments: [ReadyAttachment], until expiry: Instant) async -> [ReadyAttachment] {
        var attempt = attachments
        var remaining: [(index: Int, rung: SharedRung)] = []
        for (index, attachment) in attachments.enumerated() {
            if attachment.stored != nil {
                guard isForgotten(sources[index]) || attachment.stored.map(store.isForgotten) == true else { continue }
                attempt[index].stored = nil
                attempt[index].failure = Self.forgotten
            } else if let rung = attachment.rung {
                attempt[index].failure = Self.late
                remaining.append((index, rung))
            }
        }
        guard !remaining.isEmpty else { return attempt }
        return await BestAttempt(attempt).improved(by: expiry, on: time) { [remaining] attempt in
            await withDiscardingTaskGroup { group in
                for (index, rung) in remaining {
                    group.addTask {
                        do throws(AttachmentFailure) {
                            let stored = try await deliver(rung, of: sources[index], until: expiry)
                            attempt.update(index) { ($0.stored, $0.failure) = (stored, attachments[index].failure) }
                        } catch {
                            attempt.update(index) { $0.failure = error }
                        }
                    }
                }
            }
        }
        .attachments
    }

    private func deliver(_ rung: SharedRung, of source: String, until expiry: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        let stored = try await stored(rung, of: source, until: expiry)
        guard isForgotten(source) || store.isForgotten(stored) else { return stored }
        // Removes it: it may have been stored after the source's files were removed.
        await store.forget(stored)
        throw Self.forgotten
    }

    /// Stores an output. If another notification has stored it already, returns a new URL for it.
    private func stored(_ rung: SharedRung, of source: String, until expiry: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        guard let stored = rung.stored else {
            do throws(AttachmentFailure) {
                return try await put(rung, of: source, until: expiry)
            } catch {
                // Tries again: the failure may be that of another notification, which had less time.
                guard error.reason == .publishFailed, store.refusal == nil, time.now + store.cost < expiry else {
                    throw error
                }
                return try await put(rung, of: source, until: expiry)
            }
        }
        guard let renewed = await store.renew(stored) else { throw Self.gone }
        return renewed
    }

    private func put(_ rung: SharedRung, of source: String, until expiry: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        try await rung.stored { [steps] rung throws(AttachmentFailure) in
            try await steps.store(rung, of: source, until: expiry)
        }
    }

    private static let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
    private static let forgotten = AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
    private static let gone = AttachmentFailure(
        .store,
        .storeFailed,
        "The attachment was removed from the store before it was delivered. Raise the quota with --quota.",
    )
}

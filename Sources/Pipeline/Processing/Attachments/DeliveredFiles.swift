import Media
import ServiceExtension
import Synchronization
import Timing

/// The files of a delivery on their way into the store, with a time limit.
struct DeliveredFiles: Sendable {
    let store: any AttachmentStoring
    let time: any TimeSource
    /// The source of each attachment, by index.
    let sources: [String]
    let isForgotten: @Sendable (String) -> Bool

    typealias Outcome = Result<StoredAttachment, AttachmentFailure>

    /// Stores every attachment that has an output, and returns the outcomes. Stops waiting for a store that hangs at
    /// `expiry`.
    func store(_ attachments: [AttachmentContent], until expiry: Instant) async -> [Int: Outcome] {
        var known: [Int: Outcome] = [:]
        var ready: [(Int, SharedRung)] = []
        for (index, attachment) in attachments.enumerated() {
            if let stored = attachment.stored {
                known[index] = isForgotten(sources[index]) ? .failure(Self.forgotten) : .success(stored)
            } else if let rung = attachment.ready {
                known[index] = .failure(Self.late)
                ready.append((index, rung))
            }
        }
        guard !ready.isEmpty else { return known }
        let outcomes = Outcomes(known)
        return await time.answer(by: expiry) { [ready] in
            await withDiscardingTaskGroup { group in
                for (index, rung) in ready {
                    group.addTask {
                        do throws(AttachmentFailure) {
                            let stored = try await deliver(rung, of: sources[index], until: expiry)
                            outcomes.set(index, .success(stored))
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

    private func deliver(_ rung: SharedRung, of source: String, until expiry: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
    {
        let stored = try await stored(rung, of: source, until: expiry)
        guard isForgotten(source) else { return stored }
        // Removes it: it may have been stored after the source's files were removed.
        await store.forget(stored)
        throw Self.forgotten
    }

    /// Stores an output. If another notification has stored it already, returns a new URL for it.
    private func stored(_ rung: SharedRung, of source: String, until expiry: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
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
        -> StoredAttachment
    {
        try await rung.stored { [store] rung throws(AttachmentFailure) in
            try await store.store(rung, of: source, until: expiry)
        }
    }

    private static let late = AttachmentFailure(.store, .timedOut, "The attachment could not be stored in time.")
    private static let forgotten = AttachmentFailure(.store, .forgotten, "The attachment was taken back.")
    private static let gone = AttachmentFailure(
        .store,
        .storeFailed,
        "The attachment was removed from the store before it was delivered. Raise the quota with --quota.",
    )

    /// The outcomes so far. An attachment without an outcome counts as late.
    private final class Outcomes: Sendable {
        private let outcomes: Mutex<[Int: Outcome]>

        init(_ outcomes: [Int: Outcome]) { self.outcomes = Mutex(outcomes) }

        var all: [Int: Outcome] { outcomes.withLock { $0 } }

        func set(_ index: Int, _ outcome: Outcome) { outcomes.withLock { $0[index] = outcome } }
    }
}

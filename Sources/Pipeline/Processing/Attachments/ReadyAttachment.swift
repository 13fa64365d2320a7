package import Base
import Media
import Payloads
import Synchronization

/// The parts of one attachment that are ready so far.
struct ReadyAttachment: Sendable {
    /// The best output that is complete.
    var rung: SharedRung?
    /// The attachment's file in the store, or `nil` if it is not stored yet.
    var stored: StoredFile?
    /// A small picture of the output, a JPEG, if the caller asked for one.
    var thumbnail: [UInt8]?
    /// The facts known about the source.
    var source = SourceFacts()
    /// The reason why the output is not better.
    var failure: AttachmentFailure?
    /// A Boolean value that indicates whether `rung` is the last useful rung of a whole source.
    var isComplete = false
    /// A Boolean value that indicates whether the work on it was cut back for lack of time.
    var isHurried = true

    /// The reason why it is not complete, also where nothing failed; `nil` if it is complete.
    var shortfall: AttachmentFailure? {
        if let failure { return failure }
        return switch rung?.report.rung {
        case _ where isComplete: nil
        case .partial? where !isHurried: Self.cut
        case .firstFrame? where !isHurried, .shortened? where !isHurried, .copied? where !isHurried: Self.overBudget
        case nil: AttachmentFailure(.decode, .timedOut, "The attachment was not ready in time.")
        case .some: Self.hurried
        }
    }

    private static let cut = AttachmentFailure(
        .decode,
        .truncated,
        "The source ends early or is damaged, so only its first part was delivered.",
    )
    private static let overBudget = AttachmentFailure(
        .decode,
        .tooLarge,
        "No complete result fits into the profile's byte budget and the limit of frames.",
    )
    private static let hurried = AttachmentFailure(
        .decode,
        .timedOut,
        "There was too little time for the best version, so an earlier one was delivered.",
    )

    /// Returns the delivered attachment, or `nil` if it is not stored.
    func delivered(as identifier: String, from url: String) -> DeliveredAttachment? {
        guard let stored, let rung else { return nil }
        return DeliveredAttachment(identifier, in: stored, rung.report, from: url, source)
    }
}

// MARK: - The best attempt

/// The best state of each attachment so far: the `bestAttemptContent` of a `UNNotificationServiceExtension`, on a server.
/// It begins with nothing but the originals, which are always ready, and is delivered once, on time, whatever the work on it
/// does. Safe to change from any task or thread.
final class BestAttempt: Sendable {
    private let state: Mutex<[ReadyAttachment]>

    init(_ attachments: [ReadyAttachment]) { state = Mutex(attachments) }

    /// The state of each attachment, in the order in which they were asked for.
    var attachments: [ReadyAttachment] { state.withLock(\.self) }

    /// Changes the state of the attachment numbered `index`.
    func update(_ index: Int, _ change: @Sendable (inout ReadyAttachment) -> Void) {
        state.withLock { change(&$0[index]) }
    }

    /// Lets `work` improve the attempt until it has returned, and until `expiry` at the longest: then it is cancelled, and
    /// left behind if it hangs or ignores that.
    ///
    /// - Returns: The attachments, and whether time expired (`serviceExtensionTimeWillExpire`).
    func improved(
        by expiry: Instant,
        on time: any TimeSource,
        _ work: @escaping @Sendable (BestAttempt) async -> Void,
    ) async -> (attachments: [ReadyAttachment], isExpired: Bool) {
        await time.answer(by: expiry) { [self] in
            await work(self)
            return (attachments, false)
        } else: { [self] in
            (attachments, true)
        }
    }
}

// MARK: - Outputs that notifications share

/// A finished output for any number of notifications. The first notification has it stored; from then on the output
/// takes no memory here.
final class SharedRung: Sendable {
    private enum State {
        case ready(OutputFile)
        case storing(SharedTask<Result<StoredFile, AttachmentFailure>>)
        case stored(StoredFile)
    }

    let report: RungReport
    private let state: Mutex<State>

    init(_ rung: ReadyRung) {
        report = rung.report
        state = Mutex(.ready(rung.file))
    }

    /// Creates an output that is stored already.
    init(_ report: RungReport, stored: StoredFile) {
        self.report = report
        state = Mutex(.stored(stored))
    }

    /// The location in the store that the first notification got for it.
    var stored: StoredFile? {
        state.withLock { state in
            if case .stored(let stored) = state { stored } else { nil }
        }
    }

    /// Stores the output with `store`, or waits for another caller that is doing so. After a failure the next caller
    /// tries again.
    func stored(
        by store: @escaping @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredFile
    ) async throws(AttachmentFailure) -> StoredFile {
        let task: SharedTask<Result<StoredFile, AttachmentFailure>>
        switch state.withLock({ state in begin(&state, store) }) {
        case .stored(let stored): return stored
        case .storing(let storing): task = storing
        case .ready: preconditionFailure("a rung is stored once it was begun")
        }
        guard let outcome = await task.value() else {
            throw AttachmentFailure(.store, .cancelled, "The attachment was no longer needed.")
        }
        return try outcome.get()
    }

    private func begin(
        _ state: inout State,
        _ store: @escaping @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredFile,
    ) -> State {
        if case .ready(let file) = state {
            let rung = ReadyRung(report: report, file: file)
            state = .storing(SharedTask { [self] in await outcome(of: rung, store) })
        }
        return state
    }

    private func outcome(
        of rung: ReadyRung,
        _ store: @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredFile,
    ) async -> Result<StoredFile, AttachmentFailure> {
        do throws(AttachmentFailure) {
            let stored = try await store(rung)
            state.withLock { $0 = .stored(stored) }
            return .success(stored)
        } catch {
            state.withLock { $0 = .ready(rung.file) }
            return .failure(error)
        }
    }
}

// MARK: - Answers in time

extension TimeSource {
    /// Returns the answer of `work`, or at `expiry` that of `fallback`, whichever is first.
    ///
    /// Late work is cancelled and left behind. No caller waits for it, so it may ignore the cancellation.
    package func answer<Value: Sendable>(
        by expiry: Instant,
        _ work: @escaping @Sendable () async -> Value,
        else fallback: @escaping @Sendable () -> Value,
    ) async -> Value {
        var tasks: [Task<Void, Never>] = []
        let first = await FirstAnswer.wait { answer in
            let worker = Task { answer.give(await work()) }
            let timer = Task {
                // Only the other answer cuts the sleep short.
                guard (try? await sleep(until: expiry)) != nil else { return }
                answer.give(fallback())
            }
            tasks = [worker, timer]
        }
        for task in tasks { task.cancel() }
        return first
    }

    /// Returns what `work` returns or throws what it throws; at `expiry`, throws `late`.
    package func answer<Value: Sendable>(
        by expiry: Instant,
        orThrow late: any Error,
        _ work: @escaping @Sendable () async throws -> Value,
    ) async throws -> Value {
        try await answer(by: expiry) {
            do { return Result<Value, any Error>.success(try await work()) } catch { return .failure(error) }
        } else: {
            .failure(late)
        }
        .get()
    }
}

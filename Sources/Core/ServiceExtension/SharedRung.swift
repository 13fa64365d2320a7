import Concurrency
package import Media
import Synchronization

/// A finished output for any number of notifications. The first notification has it stored; from then on the output
/// takes no memory here.
package final class SharedRung: Sendable {
    private enum State {
        case ready(OutputFile)
        case storing(SharedTask<Result<StoredAttachment, AttachmentFailure>>)
        case stored(StoredAttachment)
    }

    package let report: RungReport
    private let state: Mutex<State>

    package init(_ rung: ReadyRung) {
        report = rung.report
        state = Mutex(.ready(rung.file))
    }

    /// Creates an output that is stored already.
    package init(_ report: RungReport, stored: StoredAttachment) {
        self.report = report
        state = Mutex(.stored(stored))
    }

    /// The location in the store that the first notification got for it.
    package var stored: StoredAttachment? {
        state.withLock { state in
            if case .stored(let stored) = state { stored } else { nil }
        }
    }

    /// Stores the output with `store`, or waits for another caller that is doing so. After a failure the next caller
    /// tries again.
    package func stored(
        by store: @escaping @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredAttachment
    ) async throws(AttachmentFailure) -> StoredAttachment {
        let task: SharedTask<Result<StoredAttachment, AttachmentFailure>>
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
        _ store: @escaping @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredAttachment,
    ) -> State {
        if case .ready(let file) = state {
            let rung = ReadyRung(report: report, file: file)
            state = .storing(SharedTask { [self] in await outcome(of: rung, store) })
        }
        return state
    }

    private func outcome(
        of rung: ReadyRung,
        _ store: @Sendable (ReadyRung) async throws(AttachmentFailure) -> StoredAttachment,
    ) async -> Result<StoredAttachment, AttachmentFailure> {
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

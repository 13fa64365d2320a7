import Base
import Media
import Synchronization

/// A notification that wants an attachment: it waits for its attempt, and then for the file.
final class AttachmentCaller: Sendable {
    let id: AttachmentWork.CallerID
    let answer = OneShot<AttachmentWork.Answer>()
    let delivery = OneShot<Result<StoredFile, AttachmentFailure>>()
    /// The slot of its notification, which is lent while the source is missing.
    let slot = WorkSlot.current
    let tenant = WorkingTenant.name
    let activity = Activity.current
    let wanted: WantedAttachment
    private let isLent = Atomic(false)
    private let runner: AttachmentWorkRunner
    private let expiry: Instant
    private let wasTakenBack: @Sendable () -> Bool

    init(
        _ id: AttachmentWork.CallerID,
        of runner: AttachmentWorkRunner,
        _ wanted: WantedAttachment,
        until expiry: Instant,
        isTakenBack: @escaping @Sendable () -> Bool,
    ) {
        self.id = id
        self.runner = runner
        self.wanted = wanted
        self.expiry = expiry
        wasTakenBack = isTakenBack
    }

    /// A Boolean value that indicates whether the source was taken back since the notification began.
    var isTakenBack: Bool { wasTakenBack() }

    /// Lends the slot. Returns `false` if the caller may not wait.
    func lend() -> Bool {
        guard let slot else { return true }
        guard slot.wait() else { return false }
        isLent.store(true, ordering: .relaxed)
        return true
    }

    /// Takes the slot back if it was lent.
    func reclaim() { if isLent.exchange(false, ordering: .relaxed) { slot?.goOn() } }

    /// Waits for the answer, until the caller's deadline or its cancellation at the latest.
    func answered() async -> AttachmentWork.Answer {
        await wait(for: answer, until: expiry) {
            $0.expire($1)
        } onCancel: {
            $0.cancel($1)
        }
    }

    /// Has the output of the attempt stored. Does not wait longer for a store that hangs.
    func stored(until expiry: Instant) async -> Result<StoredFile, AttachmentFailure> {
        runner.store(self, until: expiry)
        return await wait(for: delivery, until: expiry) {
            $0.outputs.expire($1)
        } onCancel: {
            $0.outputs.cancel($1)
        }
    }

    private typealias Event = @Sendable (inout AttachmentWork, AttachmentWork.CallerID) -> [AttachmentWork.Action]

    private func wait<Value>(
        for value: OneShot<Value>,
        until expiry: Instant,
        onExpiry: @escaping Event,
        onCancel: @escaping Event,
    ) async -> Value {
        // The answer of a kept attachment may be there already.
        if let value = value.current { return value }
        let timer = Task { [runner, id] in
            guard (try? await runner.time.sleep(until: expiry)) != nil else { return }
            runner.act { onExpiry(&$0, id) }
        }
        defer { timer.cancel() }
        return await value.value { [runner, id] in runner.act { onCancel(&$0, id) } }
    }
}

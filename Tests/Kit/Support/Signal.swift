import Base

/// An event that happens once, and that a test waits for.
package final class Signal: Sendable, Equatable {
    private let event = OneShot<Void>()

    package init() {}

    package static func == (left: Signal, right: Signal) -> Bool { left === right }

    package var isSent: Bool { event.current != nil }

    package func send() { event.set() }

    /// Waits for the event, or until the task is cancelled: that of a test by its time limit.
    package func wait() async { _ = await event.value() }

    /// Waits for the event even if the task is cancelled, like code that hangs.
    ///
    /// This ends after eleven minutes. A test that waits for such code has failed by its time limit before, and ends.
    package func hang() async {
        let waiting = Task { await wait() }
        let limit = Task {
            try? await Task.sleep(for: .seconds(660))
            waiting.cancel()
        }
        await waiting.value
        limit.cancel()
    }
}

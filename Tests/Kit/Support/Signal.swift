import Synchronization

/// An event that happens once, and that a test waits for. Waiting ignores cancellation.
package final class Signal: Sendable, Equatable {
    private struct State {
        var isSent = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package static func == (left: Signal, right: Signal) -> Bool { left === right }

    package var isSent: Bool { state.withLock(\.isSent) }

    package func send() {
        let waiters = state.withLock { state in
            state.isSent = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        await withCheckedContinuation { waiter in
            let isSent = state.withLock { state in
                if !state.isSent { state.waiters.append(waiter) }
                return state.isSent
            }
            if isSent { waiter.resume() }
        }
    }
}

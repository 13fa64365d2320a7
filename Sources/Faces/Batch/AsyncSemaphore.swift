import Synchronization

/// A semaphore for tasks. Waiting tasks get permits in the order of their requests.
final class AsyncSemaphore: Sendable {
    private struct State {
        var places: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(places: places)) }

    func enter() async {
        await withCheckedContinuation { wake in
            let goesIn = state.withLock { state in
                guard state.places == 0 else {
                    state.places -= 1
                    return true
                }
                state.line.append(wake)
                return false
            }
            if goesIn { wake.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state in
            guard state.line.isEmpty else { return Optional(state.line.removeFirst()) }
            state.places += 1
            return nil
        }
        next?.resume()
    }
}

import Synchronization

/// A limiter of which one client never has all permits: a quarter is left for the others.
final class SharedAdmission: Sendable {
    private let running = Mutex<[ClientAddress: Int]>([:])
    private let limit: Int
    /// The most permits of one client.
    let share: Int

    init(limit: Int) {
        self.limit = limit
        share = limit - limit / 4
    }

    /// The number of permits that are taken.
    var taken: Int { running.withLock { $0.values.reduce(0, +) } }

    /// Returns whether a permit is left for `client`.
    func hasRoom(_ client: ClientAddress) -> Bool { running.withLock { hasRoom(client, $0) } }

    private func hasRoom(_ client: ClientAddress, _ running: [ClientAddress: Int]) -> Bool {
        running[client, default: 0] < share && running.values.reduce(0, +) < limit
    }

    /// Takes a permit for `client`. Returns `false` if none is left for it. Return each permit with `leave`.
    func enter(_ client: ClientAddress) -> Bool {
        running.withLock { running in
            guard hasRoom(client, running) else { return false }
            running[client, default: 0] += 1
            return true
        }
    }

    func leave(_ client: ClientAddress) {
        running.withLock { running in
            guard let count = running[client] else { return }
            running[client] = count > 1 ? count - 1 : nil
        }
    }
}

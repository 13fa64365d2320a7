import Base
import Synchronization

/// The runs of a test in which tasks race.
let runs = 0..<1000

/// A table of waiters behind a lock.
final class WaitingRoom: Sendable {
    let table = Mutex(Waiters<Int, String>())

    var count: Int { table.withLock(\.count) }

    /// Waits for a word, or for "cancelled".
    func wait(_ note: Int = 0) async -> String {
        await withWaiter { waiter in
            table.withLock { $0.add(waiter, note) }
            return nil
        } onCancel: { id in
            let entry = table.withLock { $0.remove(id) }
            entry?.waiter.resume(returning: "cancelled")
        }
    }

    func resumeAll(with word: String) {
        let waiters = table.withLock { $0.removeAll() }
        for waiter in waiters { waiter.resume(returning: word) }
    }
}

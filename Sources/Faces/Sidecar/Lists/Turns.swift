import Synchronization

/// The turns of the items of a list, which several tasks take one after the other.
final class Turns: Sendable {
    private let count: Int
    private let taken = Mutex(0)

    init(count: Int) { self.count = count }

    /// Returns the index of the next item, and how many items are left with it, or `nil` if none is left.
    func next() -> (index: Int, left: Int)? {
        taken.withLock { taken in
            guard taken < count else { return nil }
            defer { taken += 1 }
            return (taken, count - taken)
        }
    }
}

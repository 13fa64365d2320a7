/// The permits that are taken, each for a key. Nobody waits for one. State only: its owner has the lock.
package struct KeyedPermits<Key: Hashable & Sendable>: Sendable {
    /// A reason why a permit is not free.
    package enum Refusal: Sendable, Equatable {
        case full
        /// The key has its share of the permits, which is this many.
        case overShare(Int)
    }

    package let limit: Int
    package private(set) var taken = 0
    /// The permits of each key that has any.
    private var byKey: [Key: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    /// Returns why `key`, which may have `share` permits, gets none now; `nil` if it gets one.
    package func refusal(for key: Key?, share: Int? = nil) -> Refusal? {
        if taken >= limit { return .full }
        guard let key, let share, byKey[key, default: 0] >= share else { return nil }
        return .overShare(share)
    }

    /// Takes a permit, or returns why none is free.
    package mutating func take(for key: Key?, share: Int? = nil) -> Refusal? {
        let refusal = refusal(for: key, share: share)
        if refusal == nil { takeAnyway(for: key) }
        return refusal
    }

    /// Takes a permit, also beyond the limit: one that was lent and is needed again.
    package mutating func takeAnyway(for key: Key?) {
        taken += 1
        if let key { byKey[key, default: 0] += 1 }
    }

    package mutating func giveBack(for key: Key?) {
        taken -= 1
        guard let key, let count = byKey[key] else { return }
        byKey[key] = count > 1 ? count - 1 : nil
    }
}

import Synchronization

/// Work that is done once for all who ask for the same key meanwhile, and for a while afterwards.
///
/// The work belongs to no caller: it goes on if all of them are cancelled.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private enum Flight {
        case running(Task<Value, Never>)
        case done(Value, until: Instant)
    }

    private let keptFor: Duration
    private let time: any TimeSource
    private let flights = Mutex<[Key: Flight]>([:])

    /// Creates work whose results are kept for `keptFor`. With such a time, use few keys: a result stays in memory until its key
    /// is asked for again.
    package init(keptFor: Duration = .zero, time: any TimeSource = SystemTime()) {
        self.keptFor = keptFor
        self.time = time
    }

    /// Returns the result for `key`: one that is kept, or that of the work under way, or else that of `work`, which begins
    /// now. `isOurs` tells whether it did.
    package func value(
        of key: Key,
        _ work: @escaping @Sendable () async -> Value,
    ) async -> (value: Value, isOurs: Bool) {
        let now = time.now
        let (flight, isOurs) = flights.withLock { flights -> (Flight, Bool) in
            switch flights[key] {
            case .done(_, let end)? where end <= now: break
            case let flight?: return (flight, false)
            case nil: break
            }
            let flight = Flight.running(Task { await self.run(key, work) })
            flights[key] = flight
            return (flight, true)
        }
        switch flight {
        case .done(let value, _): return (value, false)
        case .running(let task): return (await task.value, isOurs)
        }
    }

    /// Returns once no work for `key` is under way.
    package func rest(of key: Key) async {
        if case .running(let task)? = flights.withLock({ $0[key] }) { _ = await task.value }
    }

    private func run(_ key: Key, _ work: @Sendable () async -> Value) async -> Value {
        let value = await work()
        let end = time.now + keptFor
        flights.withLock { $0[key] = keptFor > .zero ? .done(value, until: end) : nil }
        return value
    }
}

/// The key of work that is the same for everybody.
package struct OneKey: Hashable, Sendable {}

extension SingleFlight where Key == OneKey {
    package func value(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await value(of: OneKey(), work).value
    }
}

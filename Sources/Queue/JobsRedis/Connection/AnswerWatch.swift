import Base
import Media
import Synchronization

/// A poller for answers. While callers wait, one command asks for all of their answers, up to a hundred times a second.
///
/// It asks less often for many answers, so that many waiting clients cost the server little more than a few. A lost
/// connection does not lose an answer.
final class AnswerWatch: Sendable {
    /// The time between two questions: 10 ms, and more than that for many answers, because each costs the server some time.
    static func interval(forAnswers count: Int) -> Duration {
        min(.milliseconds(50), max(.milliseconds(10), .microseconds(100) * count))
    }

    /// The maximum number of keys in one command.
    static let batch = 512

    private struct Waiter {
        var key: String
        var deadline: Instant
        var signal: OneShot<Void>
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        var isAsking = false
        var wasLeft = false
    }

    private let connection: RedisConnection
    private let time: any TimeSource
    private let state = Mutex(State())

    init(_ connection: RedisConnection, time: any TimeSource) {
        self.connection = connection
        self.time = time
    }

    /// Waits until the job whose result has this key is no longer open, or until `deadline`.
    func wait(for key: String, until deadline: Instant) async throws {
        let signal = OneShot<Void>()
        let (id, begins) = state.withLock { state in
            state.lastID += 1
            guard !state.wasLeft else {
                signal.set()
                return (state.lastID, false)
            }
            defer { state.isAsking = true }
            state.waiters[state.lastID] = Waiter(key: key, deadline: deadline, signal: signal)
            return (state.lastID, !state.isAsking)
        }
        if begins { Task { await ask() } }
        defer { state.withLock { $0.waiters[id] = nil } }
        guard await signal.value() != nil else { throw CancellationError() }
    }

    /// Ends all waits.
    func leave() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.wasLeft = true
            return state.waiters
        }
        for waiter in waiters.values { waiter.signal.set() }
    }

    private func ask() async {
        while true {
            let waiters = state.withLock { state in
                state.isAsking = !state.waiters.isEmpty
                return state.waiters
            }
            if waiters.isEmpty { return }
            let keys = Set(waiters.values.map(\.key))
            let closed = await closed(Array(keys))
            let now = time.now
            var next = now + Self.interval(forAnswers: keys.count)
            for (id, waiter) in waiters {
                if waiter.deadline <= now || closed.contains(waiter.key) {
                    state.withLock { $0.waiters[id] = nil }
                    waiter.signal.set()
                } else {
                    next = min(next, waiter.deadline)
                }
            }
            try? await time.sleep(until: next)
        }
    }

    /// Returns the jobs that are answered or unknown. Returns an empty set while the server cannot be asked.
    private func closed(_ keys: [String]) async -> Set<String> {
        var closed: Set<String> = []
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            let batch = keys[start..<min(start + Self.batch, keys.count)]
            let replies = try? await connection.send([RedisCommand(["MGET"] + batch)])
            guard let values = replies?.first?.elements, values.count == batch.count else { continue }
            for (key, value) in zip(batch, values) where value.bytes?.first != UInt8(ascii: "-") { closed.insert(key) }
        }
        return closed
    }
}

import Base
import Dispatch
import Synchronization

/// The turns of loops whose sites have not answered yet. Only as many loops run at a time as half of the processors allow.
/// The other loops wait for their turns, but still read their commands. The loop that has had the least is next, whenever it
/// came (SECURITY N21): what counts is the processor time of its own turns and that of all turns of its peer's address, of which
/// a fair share is forgiven as time passes. Sites with names of their own on one address are so served as one.
///
/// A loop that does not end its turn loses it when its conduct is judged, or after a while if the machine is too busy for
/// that.
final class LoopTurns: Sendable {
    static let ofThisProcess = LoopTurns(count: max(1, MachineLimits.ofThisProcess.processorCount / 2))

    /// The place of one loop.
    final class Place: Sendable {
        private let bell = DispatchSemaphore(value: 0)
        private let isInLine = Atomic(false)
        /// The processor time of its turns.
        fileprivate let served = Atomic(0)

        fileprivate func getInLine() { isInLine.store(true, ordering: .sequentiallyConsistent) }

        /// Wakes the loop while it waits for its turn, because it has one or has got a command.
        func ring() {
            if isInLine.exchange(false, ordering: .sequentiallyConsistent) { bell.signal() }
        }

        /// Blocks the loop's thread until the bell rings.
        func wait() { bell.wait() }
    }

    /// The order in line: who was served least, and of those who came first.
    private struct Rank: Comparable {
        var served: Duration
        var number: Int

        static func < (a: Rank, b: Rank) -> Bool { a.served == b.served ? a.number < b.number : a.served < b.served }
    }

    private struct State {
        var running: Set<ObjectIdentifier> = []
        var line = IndexedHeap<ObjectIdentifier, Rank>()
        var places: [ObjectIdentifier: Place] = [:]
        var lastNumber = 0
        /// The processor time of the turns of each peer's address that is not forgiven yet.
        var peers = BoundedTable<IPAddress, (served: Duration, since: Instant)>(entryLimit: 1000)

        func served(_ peer: IPAddress?, at now: Instant) -> Duration {
            guard let entry = peer.flatMap({ peers[$0] }) else { return .zero }
            return max(.zero, entry.served - (now - entry.since) * LoopTurns.forgivenShare)
        }
    }

    /// The part of a peer's processor time that is forgiven in the same time: a twentieth of a processor.
    private static let forgivenShare = 0.05

    private let count: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    init(count: Int, time: any TimeSource = SystemTime()) { (self.count, self.time) = (count, time) }

    /// Returns whether the place has a turn. Otherwise the place waits in line, and its bell rings when its turn comes. `peer`
    /// is the address that its loop has connected to.
    func begin(_ place: Place, of peer: IPAddress? = nil) -> Bool {
        let (now, id) = (time.now, ObjectIdentifier(place))
        return state.withLock { state in
            if state.running.contains(id) { return true }
            if state.places[id] == nil {
                guard state.running.count >= count || !state.line.isEmpty else {
                    state.running.insert(id)
                    return true
                }
                state.lastNumber += 1
                let served = Duration.nanoseconds(place.served.load(ordering: .relaxed)) + state.served(peer, at: now)
                state.line.set(id, to: Rank(served: served, number: state.lastNumber))
                state.places[id] = place
            }
            place.getInLine()
            return false
        }
    }

    /// Ends the place's turn, and its waiting.
    func leave(_ place: Place) {
        state.withLock { state in
            state.line.remove(ObjectIdentifier(place))
            state.places[ObjectIdentifier(place)] = nil
        }
        end(place)
    }

    /// Records the processor time of a turn.
    func record(_ duration: Duration, of place: Place, _ peer: IPAddress?) {
        place.served.wrappingAdd(Int(clamping: duration / .nanoseconds(1)), ordering: .relaxed)
        guard let peer else { return }
        let now = time.now
        state.withLock { state in
            state.peers.insert((state.served(peer, at: now) + duration, now), for: peer)
        }
    }

    /// Ends the place's turn, if it has one, and lets the next in line begin. A place in line stays there.
    func end(_ place: Place) {
        let next = state.withLock { state -> Place? in
            guard state.running.remove(ObjectIdentifier(place)) != nil, let next = state.line.removeFirst()?.element
            else { return nil }
            state.running.insert(next)
            return state.places.removeValue(forKey: next)
        }
        next?.ring()
    }
}

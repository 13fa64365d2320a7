import Base
import Dispatch
import Synchronization

/// The turns of loops whose sites have not answered yet. Only as many loops run at a time as half of the processors allow.
/// The other loops wait for their turns, but still read their commands.
///
/// A loop that does not end its turn loses it when its conduct is judged, or after a while if the machine is too busy for
/// that.
final class LoopTurns: Sendable {
    static let ofThisProcess = LoopTurns(count: max(1, MachineLimits.ofThisProcess.processorCount / 2))

    /// The place of one loop.
    final class Place: Sendable {
        private let bell = DispatchSemaphore(value: 0)
        private let isInLine = Atomic(false)

        fileprivate func getInLine() { isInLine.store(true, ordering: .sequentiallyConsistent) }

        /// Wakes the loop while it waits for its turn, because it has one or has got a command.
        func ring() {
            if isInLine.exchange(false, ordering: .sequentiallyConsistent) { bell.signal() }
        }

        /// Blocks the loop's thread until the bell rings.
        func wait() { bell.wait() }
    }

    private struct State {
        var running: Set<ObjectIdentifier> = []
        var line: [Place] = []
    }

    private let count: Int
    private let state = Mutex(State())

    init(count: Int) { self.count = count }

    /// Returns whether the place has a turn. Otherwise the place waits in line, and its bell rings when its turn comes.
    func begin(_ place: Place) -> Bool {
        state.withLock { state in
            if state.running.contains(ObjectIdentifier(place)) { return true }
            if !state.line.contains(where: { $0 === place }) {
                guard state.running.count >= count || !state.line.isEmpty else {
                    state.running.insert(ObjectIdentifier(place))
                    return true
                }
                state.line.append(place)
            }
            place.getInLine()
            return false
        }
    }

    /// Ends the place's turn, and its waiting.
    func leave(_ place: Place) {
        state.withLock { state in state.line.removeAll { $0 === place } }
        end(place)
    }

    /// Ends the place's turn, if it has one, and lets the next in line begin. A place in line stays there.
    func end(_ place: Place) {
        let next = state.withLock { state -> Place? in
            guard state.running.remove(ObjectIdentifier(place)) != nil, !state.line.isEmpty else { return nil }
            let next = state.line.removeFirst()
            state.running.insert(ObjectIdentifier(next))
            return next
        }
        next?.ring()
    }
}

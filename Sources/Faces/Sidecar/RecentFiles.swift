import NIOCore
import Storage
import Synchronization
import Timing

/// A cache of the answers to valid links within one second. The phones of a campaign request one file by the same link,
/// which has the same answer until the second ends.
final class RecentFiles: Sendable {
    private struct State {
        var second = 0
        var files: [String: WholeFile] = [:]
        var byteCount = 0
        /// The number of times that all answers were removed.
        var removals = 0
    }

    private let state = Mutex(State())

    /// The maximum size of the cached files, in bytes.
    private static let byteLimit = 8_388_608
    private static let linkLimit = 1000

    /// Returns the answer to a request for `path` with its query. Calls `make` if the answer is not cached.
    func file(for path: String, at now: UnixTime, _ make: () -> WholeFile?) -> WholeFile? {
        let (known, removals) = state.withLock { state in
            if state.second != now.seconds { state = State(second: now.seconds, removals: state.removals) }
            return (state.files[path], state.removals)
        }
        if let known { return known }
        guard let file = make() else { return nil }
        state.withLock { state in
            let byteCount = state.byteCount + file.bytes.readableBytes
            guard state.second == now.seconds, byteCount <= Self.byteLimit, state.files.count < Self.linkLimit,
                state.files[path] == nil, state.removals == removals
            else { return }
            state.files[path] = file
            state.byteCount = byteCount
        }
        return file
    }

    /// Removes all answers, including those that are being made.
    func removeAll() {
        state.withLock { $0 = State(second: $0.second, removals: $0.removals + 1) }
    }
}

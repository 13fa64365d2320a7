import NIOCore
import Storage
import Synchronization
import Timing

/// The answers to links that were right within this second: the phones of a campaign ask for one file by one link, and the
/// same question has the same answer until the second is over.
final class RecentFiles: Sendable {
    private struct State {
        var second = 0
        var files: [String: WholeFile] = [:]
        var byteCount = 0
        /// How often all of them were dropped.
        var removals = 0
    }

    private let state = Mutex(State())

    /// What they may take of memory: so many bytes of files, and so many links.
    private static let byteLimit = 8_388_608
    private static let linkLimit = 1000

    /// The answer to a request for `path` with its query, made by `make` if it isn't there.
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

    /// Drops all answers, also those that are just being made.
    func removeAll() {
        state.withLock { $0 = State(second: $0.second, removals: $0.removals + 1) }
    }
}

import Synchronization

/// The jobs that this process answered last, so that a person can look at one of them in the preview. Memory only.
package final class RecentJobs: Sendable {
    package struct Entry: Sendable, Equatable {
        package var id: String
        /// The envelope of `POST /v1/jobs`.
        package var content: [UInt8]

        package init(id: String, content: [UInt8]) {
            self.id = id
            self.content = content
        }
    }

    /// Of at most 64 KiB each.
    private static let limit = 20

    private let state = Mutex<[Entry]>([])

    package init() {}

    /// Newest first.
    package var entries: [Entry] { state.withLock { $0 } }

    package func note(_ entry: Entry) {
        state.withLock { entries in
            entries.removeAll { $0.id == entry.id }
            entries.insert(entry, at: 0)
            if entries.count > Self.limit { entries.removeLast() }
        }
    }
}

import Synchronization
import Values

/// The latest jobs that this process answered, in memory, for display in the preview.
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

    /// The maximum number of entries, of at most 64 KiB each.
    private static let limit = 20

    private let state = Mutex(BoundedTable<String, Entry>(entryLimit: limit))

    package init() {}

    /// The entries, newest first.
    package var entries: [Entry] { state.withLock { $0.oldestFirst.map(\.value).reversed() } }

    package func note(_ entry: Entry) { state.withLock { $0.insert(entry, for: entry.id) } }
}

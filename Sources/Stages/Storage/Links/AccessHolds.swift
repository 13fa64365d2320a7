import Digests
package import Files
import Synchronization
package import Timing
import Values

/// The holds of open views that show attachments. Access starts when a view opens and stops when it closes.
///
/// While a hold is renewed, its files stay in the store and URLs that name it work. A view that vanishes without
/// closing loses its hold within `time`.
package final class AccessHolds: Sendable {
    /// The duration of a hold since its last renewal. It allows for browsers that run hidden pages once a minute.
    package static let time: Duration = .seconds(150)
    /// The maximum number of concurrent views. Opening another one closes the oldest.
    private static let limit = 64

    private struct View {
        var files: [AttachmentIdentifier: AttachmentHold]
        var end: UnixTime
    }

    private let store: AttachmentStore
    private let now: @Sendable () -> UnixTime
    private let views = Mutex(BoundedTable<String, View>(entryLimit: limit))

    package init(store: AttachmentStore, now: @escaping @Sendable () -> UnixTime = { .now }) {
        self.store = store
        self.now = now
    }

    /// Opens a view on the available `files`.
    package func open(_ files: [AttachmentIdentifier]) throws(FileError) -> (
        hold: String, files: [AttachmentIdentifier]
    ) {
        var held: [AttachmentIdentifier: AttachmentHold] = [:]
        for file in files { held[file] = try store.startAccessing(file) }
        let hold = Base32.random()
        let now = now()
        let view = View(files: held, end: now + Self.time)
        views.withLock { views in
            views.removeOldest { $1.end <= now }
            views.insert(view, for: hold)
        }
        return (hold, files.filter { held[$0] != nil })
    }

    /// Renews a hold. Returns `false` if it has ended and the view must be opened again.
    package func renew(_ hold: String) throws(FileError) -> Bool {
        let now = now()
        let files = views.withLock { views in
            guard var view = views[hold], view.end > now else { return nil as [AttachmentIdentifier]? }
            view.end = now + Self.time
            views.insert(view, for: hold)
            return Array(view.files.keys)
        }
        guard let files else { return false }
        // The holds of the store have a time limit, so they are renewed, too.
        for file in files { _ = try store.startAccessing(file) }
        return true
    }

    package func close(_ hold: String) { views.withLock { $0.remove(hold) } }

    /// Returns whether the view may read the file now.
    package func grants(_ file: AttachmentIdentifier, to hold: String) -> Bool {
        let now = now()
        return views.withLock { views in
            // Lets go of the files of views that have ended.
            views.removeOldest { $1.end <= now }
            return views[hold].map { $0.end > now && $0.files[file] != nil } ?? false
        }
    }
}

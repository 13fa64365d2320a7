import Digests
import Synchronization
package import Timing

/// The leases of views that show attachments: access starts when a view opens and stops when it closes.
///
/// As long as a lease is renewed, its files stay in the store and URLs that name it are answered; a view that vanishes
/// without a word loses it within `time`.
package final class AccessHolds: Sendable {
    /// How long a lease holds from when it was last renewed; browsers let hidden pages run once a minute.
    package static let time: Duration = .seconds(150)
    /// More are nobody's views: the oldest ends.
    private static let limit = 64

    private struct View {
        var files: [AttachmentIdentifier: AttachmentHold]
        var end: UnixTime
    }

    private let store: AttachmentStore
    private let now: @Sendable () -> UnixTime
    private let views = Mutex<[String: View]>([:])

    package init(store: AttachmentStore, now: @escaping @Sendable () -> UnixTime = { .now }) {
        self.store = store
        self.now = now
    }

    /// Opens a view on those of `files` that are there.
    package func open(_ files: [AttachmentIdentifier]) throws(StoreError) -> (
        lease: String, files: [AttachmentIdentifier]
    ) {
        var held: [AttachmentIdentifier: AttachmentHold] = [:]
        for file in files { held[file] = try store.startAccessing(file) }
        let lease = Base32.random()
        let view = View(files: held, end: now() + Self.time)
        views.withLock { views in
            drop(&views)
            while views.count >= Self.limit, let oldest = views.min(by: { $0.value.end < $1.value.end }) {
                views[oldest.key] = nil
            }
            views[lease] = view
        }
        return (lease, files.filter { held[$0] != nil })
    }

    /// `false` if the lease has ended: the view has to be opened anew.
    package func renew(_ lease: String) throws(StoreError) -> Bool {
        let end = now() + Self.time
        let files = views.withLock { views in
            drop(&views)
            views[lease]?.end = end
            return views[lease]?.files.keys
        }
        guard let files else { return false }
        // A store's own lease ends by itself.
        for file in files { _ = try store.startAccessing(file) }
        return true
    }

    package func close(_ lease: String) { views.withLock { $0[lease] = nil } }

    /// Whether the view may have the file now.
    package func grants(_ file: AttachmentIdentifier, to lease: String) -> Bool {
        views.withLock { views in
            drop(&views)
            return views[lease]?.files[file] != nil
        }
    }

    private func drop(_ views: inout [String: View]) {
        let now = now()
        views = views.filter { $0.value.end > now }
    }
}

package import Base
import CLinux
package import Files
import Glibc
import Synchronization

/// An open ready file. The store does not remove it while it is held.
///
/// `AttachmentStore.startAccessing` begins the access and the end of this object's life ends it, like
/// `startAccessingSecurityScopedResource` and `stopAccessing…` for an attachment in the system's data store. All
/// readers of a file share one hold. After a time limit, the hold no longer keeps the file in the store, but its
/// readers can still read.
package final class AttachmentHold: Sendable {
    package let identifier: AttachmentIdentifier
    package let byteCount: Int
    /// The time at which the file was last stored, in whole seconds.
    package let stored: UnixTime
    private let descriptor: Int32
    private let end: Mutex<UnixTime>

    /// Creates a hold that owns the descriptor.
    init(_ identifier: AttachmentIdentifier, adopting descriptor: Int32, _ status: stat, until end: UnixTime) {
        self.identifier = identifier
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
        stored = UnixTime(seconds: status.st_mtim.tv_sec)
        self.end = Mutex(end)
    }

    deinit { close(descriptor) }

    func extend(until newEnd: UnixTime) { end.withLock { $0 = max($0, newEnd) } }

    /// A Boolean value that indicates whether the file still has a name.
    var isLinked: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    func holds(at time: UnixTime) -> Bool { end.withLock { $0 > time } }

    /// Reads into `bytes` from `offset` and returns the number of bytes. Unless it `waits` for the disk, returns `nil`
    /// if the bytes are not in memory.
    package func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer, waits: Bool) throws(FileError) -> Int?
    {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe clinux_read_at(descriptor, rest.baseAddress, rest.count, offset + done, waits ? 1 : 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN, !waits { return nil }
            guard count > 0 else { throw FileError("read", "\(identifier)", count < 0 ? errno : EIO) }
            done += count
        }
        return done
    }
}

// MARK: - Views

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
    package func open(_ files: [AttachmentIdentifier]) async throws(FileError) -> (
        hold: String, files: [AttachmentIdentifier]
    ) {
        var held: [AttachmentIdentifier: AttachmentHold] = [:]
        for file in files { held[file] = try await store.startAccessing(file) }
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
    package func renew(_ hold: String) async throws(FileError) -> Bool {
        let now = now()
        let files = views.withLock { views in
            guard var view = views[hold], view.end > now else { return nil as [AttachmentIdentifier]? }
            view.end = now + Self.time
            views.insert(view, for: hold)
            return Array(view.files.keys)
        }
        guard let files else { return false }
        // The holds of the store have a time limit, so they are renewed, too.
        for file in files { _ = try await store.startAccessing(file) }
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

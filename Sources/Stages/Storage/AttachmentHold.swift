import CLinux
import Glibc
import Synchronization
package import Timing

/// A ready file that somebody reads: open, and safe from being swept for as long as it is held.
///
/// What `startAccessingSecurityScopedResource` and `stopAccessing…` are to an attachment in the system's data store,
/// `AttachmentStore.startAccessing` and the end of this value's life are here. All who read one file hold the same lease.
/// One that is held for too long ends by itself: its holder can still read, but no longer keeps the file in the store.
package final class AttachmentHold: Sendable {
    package let identifier: AttachmentIdentifier
    package let byteCount: Int
    /// When the file was last stored, in whole seconds.
    package let stored: UnixTime
    private let descriptor: Int32
    private let end: Mutex<UnixTime>

    /// Takes over the descriptor.
    init(_ identifier: AttachmentIdentifier, adopting descriptor: Int32, _ status: stat, until end: UnixTime) {
        self.identifier = identifier
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
        stored = UnixTime(seconds: status.st_mtim.tv_sec)
        self.end = Mutex(end)
    }

    deinit { close(descriptor) }

    func extend(until newEnd: UnixTime) { end.withLock { $0 = max($0, newEnd) } }

    func holds(at time: UnixTime) -> Bool { end.withLock { $0 > time } }

    /// Fills `bytes` from `offset` on, and gives their number. Unless it `waits` for the disk, the answer is `nil` when they
    /// aren't in memory.
    package func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer, waits: Bool) throws(StoreError) -> Int?
    {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe clinux_read_at(descriptor, rest.baseAddress, rest.count, offset + done, waits ? 1 : 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN, !waits { return nil }
            guard count > 0 else { throw StoreError("read", "\(identifier)", count < 0 ? errno : EIO) }
            done += count
        }
        return done
    }
}

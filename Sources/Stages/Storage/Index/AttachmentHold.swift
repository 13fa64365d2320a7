import CLinux
package import Files
import Glibc
import Synchronization
package import Timing

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

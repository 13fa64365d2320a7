import CLinux
import Glibc
import Synchronization

/// The bytes of one source, in memory that the worker writes while a decoder process reads.
///
/// It has no name in any file system and is gone with its last descriptor. One writer appends, any number of
/// readers wait; it ends once, whole or cut short, and is sealed then.
package final class MediaFile: Sendable {
    package enum Ending: Sendable, Equatable {
        /// Every byte of the source is there.
        case whole
        /// No more bytes will come: the download failed, stalled, or time is nearly up.
        case cut(AttachmentFailure)
    }

    package struct Progress: Sendable, Equatable {
        package var byteCount = 0
        package var ending: Ending?
    }

    private struct Waiter {
        var byteCount: Int
        var wake: CheckedContinuation<Progress, Never>
    }

    private struct State {
        var progress = Progress()
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    /// Readable and writable; only the worker holds it.
    package let descriptor: Int32
    private let byteLimit: Int
    private let state = Mutex(State())

    package init(byteLimit: Int) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("media")
        guard descriptor >= 0 else {
            throw AttachmentFailure(.download, .resourceLimit, "No memory file for the download: errno \(errno).")
        }
        self.descriptor = descriptor
        self.byteLimit = byteLimit
    }

    deinit { close(descriptor) }

    package var progress: Progress { state.withLock(\.progress) }

    /// Adds `bytes` at the end. Called by one writer at a time; bytes that come after the end are dropped.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(AttachmentFailure) {
        let start = progress
        guard start.ending == nil else { return }
        guard let end = SafeSize.sum(start.byteCount, bytes.count), end <= byteLimit else {
            throw AttachmentFailure(.download, .tooLarge, "The source is larger than \(byteLimit) bytes.")
        }
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(start.byteCount + written))
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw AttachmentFailure(.download, .resourceLimit, "No memory for the download: errno \(errno).")
            }
            written += count
        }
        update { progress in
            if progress.ending == nil { progress.byteCount = end }
        }
    }

    /// Adds `bytes` at the end.
    package func append(_ bytes: [UInt8]) throws(AttachmentFailure) {
        try unsafe bytes.span.withUnsafeBytes { bytes throws(AttachmentFailure) in try unsafe append(bytes) }
    }

    /// Says that no more bytes will come. The first ending stands.
    package func end(_ ending: Ending) {
        update { progress in
            guard progress.ending == nil else { return }
            progress.ending = ending
        }
        // Again is harmless. What a decoder has been shown can't change any more, whoever holds a descriptor.
        clinux_seal_content(descriptor)
    }

    /// Waits until `byteCount` bytes are there, the file has ended, or the task is cancelled.
    package func progress(reaching byteCount: Int) async -> Progress {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let ready: Progress? = state.withLock { state in
                    let progress = state.progress
                    if progress.byteCount >= byteCount || progress.ending != nil || Task.isCancelled { return progress }
                    state.waiters[id] = Waiter(byteCount: byteCount, wake: wake)
                    return nil
                }
                if let ready { wake.resume(returning: ready) }
            }
        } onCancel: {
            let (waiter, progress) = state.withLock { ($0.waiters.removeValue(forKey: id), $0.progress) }
            waiter?.wake.resume(returning: progress)
        }
    }

    /// Up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] {
        let available = min(count, progress.byteCount)
        return unsafe [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, available, 0))
        }
    }

    /// A descriptor of the same bytes that can't write, for a decoder process. The caller closes it.
    package func openReadOnly() throws(AttachmentFailure) -> Int32 {
        let copy = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard copy >= 0 else {
            let message = "The media file cannot be opened for reading: errno \(errno)."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
        return copy
    }

    /// Changes the progress, then wakes outside the lock whoever waited for it.
    private func update(_ change: (inout Progress) -> Void) {
        let (due, progress) = state.withLock { state in
            change(&state.progress)
            let progress = state.progress
            let due = state.waiters.filter { progress.ending != nil || $0.value.byteCount <= progress.byteCount }
            for id in due.keys { state.waiters[id] = nil }
            return (due.values.map(\.wake), progress)
        }
        for wake in due { wake.resume(returning: progress) }
    }
}

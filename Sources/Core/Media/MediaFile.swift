import CLinux
import Glibc
import Synchronization
package import Timing
import Values

/// The bytes of one source, in memory that the worker writes while a decoder process reads.
///
/// It has no name in any file system and is gone with its last descriptor. Bytes come in order or in ranges anywhere;
/// what never came is a hole, which takes no memory. One writer brings them, any number of readers wait, and what they
/// wait for tells the writer what to bring next. It ends once, whole or cut short, and is sealed then.
package final class MediaFile: Sendable {
    package enum Ending: Sendable, Equatable {
        /// Every byte of the source is there.
        case whole
        /// No more bytes will come: the download failed, stalled, was no longer needed, or time is nearly up.
        case cut(AttachmentFailure)
    }

    /// How far a source came that is read from its start.
    package struct Progress: Sendable, Equatable {
        package var byteCount = 0
        package var ending: Ending?
    }

    private struct Waiter {
        var isDue: @Sendable (SourceContents) -> Bool
        var wake: CheckedContinuation<SourceContents, Never>
    }

    private struct State {
        var contents = SourceContents()
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    /// Readable and writable; only the worker holds it.
    package let descriptor: Int32
    /// The most bytes that it takes, wherever they are; holes don't count.
    package let byteLimit: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    package init(byteLimit: Int, time: any TimeSource = SystemTime()) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("media")
        guard descriptor >= 0 else {
            throw AttachmentFailure(.download, .resourceLimit, "No memory file for the download: errno \(errno).")
        }
        self.descriptor = descriptor
        self.byteLimit = byteLimit
        self.time = time
    }

    deinit { close(descriptor) }

    package var contents: SourceContents { state.withLock(\.contents) }
    package var progress: Progress { contents.progress }

    // MARK: - The writer

    /// Puts `bytes` where they stand in the source. Called by one writer at a time.
    ///
    /// - Returns: Whether the file still takes bytes. Those that come after its end are dropped.
    @discardableResult
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AttachmentFailure) -> Bool {
        let before = contents
        guard before.ending == nil else { return false }
        guard let end = SafeSize.sum(offset, bytes.count), end <= before.size ?? .max else {
            throw AttachmentFailure(.download, .originLied, "The source has more bytes than its origin said.")
        }
        guard let total = SafeSize.sum(before.present.count, bytes.count), total <= byteLimit else {
            throw AttachmentFailure(.download, .tooLarge, "More than \(byteLimit) bytes of the source are needed.")
        }
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                let code = errno
                // It was sealed meanwhile.
                if contents.ending != nil { return false }
                throw AttachmentFailure(.download, .resourceLimit, "No memory for the download: errno \(code).")
            }
            written += count
        }
        let now = time.now
        update { contents in
            guard contents.ending == nil else { return }
            contents.present.insert(offset..<end)
            contents.lastArrival = now
        }
        return true
    }

    /// Adds `bytes` behind those that are there from the start on.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(AttachmentFailure) {
        try unsafe write(bytes, at: progress.byteCount)
    }

    /// Adds `bytes` behind those that are there from the start on.
    package func append(_ bytes: [UInt8]) throws(AttachmentFailure) {
        try unsafe bytes.span.withUnsafeBytes { bytes throws(AttachmentFailure) in try unsafe append(bytes) }
    }

    /// Says how many bytes the source has in all. The first size stands.
    package func setSize(_ size: Int) {
        update { contents in
            if contents.ending == nil, contents.size == nil { contents.size = size }
        }
    }

    /// Says that no more bytes will come. The first ending stands.
    package func end(_ ending: Ending) {
        update { contents in
            guard contents.ending == nil else { return }
            contents.ending = ending
            if ending == .whole { contents.size = contents.present.prefixCount }
        }
        // Again is harmless. What a decoder has been shown can't change any more, whoever holds a descriptor.
        clinux_seal_content(descriptor)
    }

    /// Says that no more bytes will come, unless everything that is wanted is there.
    package func endIfMissing(_ failure: AttachmentFailure) {
        guard contents.missing != nil else { return }
        end(.cut(failure))
    }

    /// Waits until something is wanted that isn't there, the file has ended, or the task is cancelled.
    package func missing() async -> Range<Int>? {
        let contents = await contents { $0.missing != nil || $0.ending != nil }
        return contents.ending == nil ? contents.missing : nil
    }

    // MARK: - Readers

    /// Says what is waited for or will be read next. Who has wanted all that follows (`Int.max`) wants it for good.
    package func want(_ range: Range<Int>) {
        update { contents in
            let end = contents.wanted.upperBound == .max ? .max : range.upperBound
            contents.wanted = range.lowerBound..<max(range.lowerBound, end)
        }
    }

    /// Waits until `byteCount` bytes from the start are there, the file has ended, or the task is cancelled.
    package func progress(reaching byteCount: Int) async -> Progress {
        await contents { $0.present.prefixCount >= byteCount || $0.ending != nil }.progress
    }

    /// Waits until something has become so, or the task is cancelled.
    package func contents(_ isDue: @escaping @Sendable (SourceContents) -> Bool) async -> SourceContents {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let ready: SourceContents? = state.withLock { state in
                    if isDue(state.contents) || Task.isCancelled { return state.contents }
                    state.waiters[id] = Waiter(isDue: isDue, wake: wake)
                    return nil
                }
                if let ready { wake.resume(returning: ready) }
            }
        } onCancel: {
            let (waiter, contents) = state.withLock { ($0.waiters.removeValue(forKey: id), $0.contents) }
            waiter?.wake.resume(returning: contents)
        }
    }

    /// Up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] { bytes(in: 0..<count) }

    /// The bytes of `range` that are there, up to the first that is not.
    package func bytes(in range: Range<Int>) -> [UInt8] {
        guard let there = contents.present.range(at: range.lowerBound)?.clamped(to: range) else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: there.count) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, there.count, off_t(there.lowerBound)))
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

    /// Changes the contents, then wakes outside the lock whoever waited for that.
    private func update(_ change: (inout SourceContents) -> Void) {
        let (due, contents) = state.withLock { state in
            change(&state.contents)
            let contents = state.contents
            let due = state.waiters.filter { $0.value.isDue(contents) }
            for id in due.keys { state.waiters[id] = nil }
            return (due.values.map(\.wake), contents)
        }
        for wake in due { wake.resume(returning: contents) }
    }
}

extension SourceContents {
    package var progress: MediaFile.Progress {
        MediaFile.Progress(byteCount: present.prefixCount, ending: ending)
    }
}

import CLinux
import Concurrency
import Glibc
import Synchronization
package import Timing
import Values

/// The bytes of one source, in memory that the worker writes while a decoder process reads.
///
/// The file has no name in any file system and is gone with its last descriptor. Bytes come in order or in ranges
/// anywhere; missing bytes are a hole, which takes no memory. One writer adds bytes. Any number of readers wait, and
/// the ranges that they wait for tell the writer what to fetch next. The file ends once, whole or cut short, and is
/// sealed then.
package final class MediaFile: Sendable {
    package enum Ending: Sendable, Equatable {
        /// Every byte of the source is there.
        case whole
        /// No more bytes will come: the download failed, stalled, was no longer needed, or time is nearly up.
        case cut(AttachmentFailure)
    }

    /// The part of a source that has arrived, counted from its start.
    package struct Progress: Sendable, Equatable {
        package var byteCount = 0
        package var ending: Ending?
    }

    private struct State {
        var contents = SourceContents()
        /// The readers, each with the condition that it waits for.
        var waiters = Waiters<@Sendable (SourceContents) -> Bool, SourceContents>()
    }

    /// The descriptor for reading and writing. Only the worker holds it.
    package let descriptor: Int32
    /// The most bytes that the file takes, wherever they are. Holes do not count.
    package let byteLimit: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    package init(byteLimit: Int, time: any TimeSource = SystemTime()) throws(AttachmentFailure) {
        let descriptor = unsafe clinux_memory_file("media")
        guard descriptor >= 0 else {
            let message = "The worker has no memory for the download. Raise its limits for memory and open files."
            throw AttachmentFailure(.download, .resourceLimit, message)
        }
        self.descriptor = descriptor
        self.byteLimit = byteLimit
        self.time = time
    }

    deinit { close(descriptor) }

    package var contents: SourceContents { state.withLock(\.contents) }
    package var progress: Progress { contents.progress }

    // MARK: - The writer

    /// Writes `bytes` at their offset in the source. Only one writer at a time may call it.
    ///
    /// - Returns: Whether the file still takes bytes. Bytes that come after its end are dropped.
    @discardableResult
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AttachmentFailure) -> Bool {
        let before = contents
        guard before.ending == nil else { return false }
        guard let end = SafeSize.sum(offset, bytes.count), end <= before.size ?? .max else {
            throw AttachmentFailure(.download, .originLied, "The origin sent more bytes than it announced.")
        }
        guard let total = SafeSize.sum(before.present.count, bytes.count), total <= byteLimit else {
            throw AttachmentFailure(
                .download,
                .tooLarge,
                "The source needs more than \(byteLimit) bytes. Send a smaller file.",
            )
        }
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                // The file was sealed meanwhile.
                if contents.ending != nil { return false }
                let message = "The worker has no memory for the download. Raise its memory limit."
                throw AttachmentFailure(.download, .resourceLimit, message)
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

    /// Appends `bytes` to the unbroken run of bytes at the start.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(AttachmentFailure) {
        try unsafe write(bytes, at: progress.byteCount)
    }

    /// Appends `bytes` to the unbroken run of bytes at the start.
    package func append(_ bytes: [UInt8]) throws(AttachmentFailure) {
        try unsafe bytes.span.withUnsafeBytes { bytes throws(AttachmentFailure) in try unsafe append(bytes) }
    }

    /// Sets the size of the whole source in bytes. The first size stands.
    package func setSize(_ size: Int) {
        update { contents in
            if contents.ending == nil, contents.size == nil { contents.size = size }
        }
    }

    /// Ends the file: no more bytes will come. The first ending stands.
    package func end(_ ending: Ending) {
        update { contents in
            guard contents.ending == nil else { return }
            contents.ending = ending
            if ending == .whole { contents.size = contents.present.prefixCount }
        }
        // Sealing twice is harmless. Bytes that a decoder has read cannot change afterwards, whoever holds a
        // descriptor.
        clinux_seal_content(descriptor)
    }

    /// Ends the file, unless every wanted byte is there.
    package func endIfMissing(_ failure: AttachmentFailure) {
        guard contents.missing != nil else { return }
        end(.cut(failure))
    }

    /// Waits until a wanted range is missing, the file has ended, or the task is cancelled.
    package func missing() async -> Range<Int>? {
        let contents = await contents { $0.missing != nil || $0.ending != nil }
        return contents.ending == nil ? contents.missing : nil
    }

    // MARK: - Readers

    /// Declares the range that a reader waits for or will read next. A reader that has wanted everything to the end
    /// (`Int.max`) wants it for good.
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

    /// Waits until `isDue` holds, or the task is cancelled.
    package func contents(_ isDue: @escaping @Sendable (SourceContents) -> Bool) async -> SourceContents {
        await withWaiter { waiter in
            state.withLock { state -> SourceContents? in
                if isDue(state.contents) { return state.contents }
                state.waiters.add(waiter, isDue)
                return nil
            }
        } onCancel: { id in
            let (entry, contents) = state.withLock { ($0.waiters.remove(id), $0.contents) }
            entry?.waiter.resume(returning: contents)
        }
    }

    /// Returns up to `count` bytes from the start.
    package func prefix(_ count: Int) -> [UInt8] { bytes(in: 0..<count) }

    /// Returns the bytes of `range` up to the first that is missing.
    package func bytes(in range: Range<Int>) -> [UInt8] {
        guard let there = contents.present.range(at: range.lowerBound)?.clamped(to: range) else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: there.count) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, there.count, off_t(there.lowerBound)))
        }
    }

    /// Opens a read-only descriptor of the same bytes for a decoder process. The caller closes it.
    package func openReadOnly() throws(AttachmentFailure) -> Int32 {
        let copy = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard copy >= 0 else {
            let message = "The worker cannot open the download for a decoder. Raise its limit of open files."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
        return copy
    }

    /// Changes the contents, then wakes the waiters outside the lock.
    private func update(_ change: (inout SourceContents) -> Void) {
        let (due, contents) = state.withLock { state in
            change(&state.contents)
            let contents = state.contents
            return (state.waiters.removeAll { $0(contents) }, contents)
        }
        for waiter in due { waiter.resume(returning: contents) }
    }
}

extension SourceContents {
    package var progress: MediaFile.Progress {
        MediaFile.Progress(byteCount: present.prefixCount, ending: ending)
    }
}

package import Base
import CLinux
import Glibc
import Synchronization

/// The bytes of one source, in memory that the worker writes while a decoder process reads.
///
/// The file has no name in any file system and disappears with its last descriptor. Bytes arrive in order or in any
/// ranges; missing bytes are a hole, which takes no memory. One writer adds bytes, as far as the budget of all sources
/// allows. Any number of readers wait, and the ranges that they wait for tell the writer what to download next. The file
/// ends once, whole or cut short, and is then sealed.
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

    /// The memory itself. It is free when the last call that uses it has returned.
    private final class Storage: Sendable {
        let descriptor: Int32

        init() throws(AttachmentFailure) {
            descriptor = unsafe clinux_memory_file("media")
            guard descriptor >= 0 else {
                let message = "The worker has no memory for the download. Raise its limits for memory and open files."
                throw AttachmentFailure(.download, .resourceLimit, message)
            }
        }

        deinit { close(descriptor) }
    }

    private struct State {
        /// The descriptor for reading and writing, which only the worker holds; `nil` once the memory is given back.
        var storage: Storage?
        /// The part of the budget; `nil` without one.
        var lease: SourceMemory.Lease?
        /// A Boolean value that indicates whether another file has the same memory, and writes to it.
        var isView = false
        var contents = SourceContents()
        /// The readers, each with the condition that it waits for.
        var waiters = Waiters<@Sendable (SourceContents) -> Bool, SourceContents>()
    }

    /// The most bytes that the file takes, wherever they are. Holes do not count.
    package let byteLimit: Int
    private let time: any TimeSource
    private let state: Mutex<State>

    /// Creates an empty file. Its bytes count against the budget `memory`, if there is one. The source with the soonest
    /// `deadline` gets memory first.
    package init(
        byteLimit: Int,
        time: any TimeSource = SystemTime(),
        memory: SourceMemory? = nil,
        deadline: Deadline? = nil,
    ) throws(AttachmentFailure) {
        self.byteLimit = byteLimit
        self.time = time
        let lease = memory?.lease(most: byteLimit, until: deadline ?? Deadline(time.now))
        var contents = SourceContents()
        if lease != nil { contents.room = 0 }
        state = Mutex(State(storage: try Storage(), lease: lease, contents: contents))
        lease?.attach(to: self)
    }

    /// Creates a file that ends where the unbroken run of bytes at the start of `whole` ends now. It shares the memory,
    /// and so costs none.
    package init?(prefixOf whole: MediaFile, ending: Ending) {
        let state = whole.state.withLock { state -> State? in
            guard state.storage != nil, !state.contents.hasLostBytes else { return nil }
            // From now on the bytes stay.
            state.lease?.claim.setOpened()
            var contents = SourceContents()
            contents.present = ByteRanges([0..<state.contents.present.prefixCount])
            contents.lastArrival = state.contents.lastArrival
            contents.ending = ending
            contents.room = 0
            return State(storage: state.storage, lease: state.lease, isView: true, contents: contents)
        }
        guard let state else { return nil }
        byteLimit = whole.byteLimit
        time = whole.time
        self.state = Mutex(state)
    }

    /// The descriptor for reading and writing, which only the worker holds; -1 once the memory is given back.
    var descriptor: Int32 { state.withLock { $0.storage?.descriptor ?? -1 } }
    package var contents: SourceContents { state.withLock(\.contents) }
    package var progress: Progress { contents.progress }

    // MARK: - The writer

    /// Writes `bytes` at their offset in the source. Only one writer at a time may call it.
    ///
    /// - Returns: Whether the file still takes bytes. Bytes that come after its end are dropped.
    @discardableResult
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AttachmentFailure) -> Bool {
        let (before, storage) = state.withLock { ($0.contents, $0.storage) }
        guard before.ending == nil, !before.hasLostBytes, let storage else { return false }
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
            let count = unsafe pwrite(storage.descriptor, rest.baseAddress, rest.count, off_t(offset + written))
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
        change { state in
            guard state.contents.ending == nil, !state.contents.hasLostBytes else { return }
            state.contents.present.insert(offset..<end)
            state.contents.lastArrival = now
            guard let claim = state.lease?.claim else { return }
            claim.setWritten(state.contents.present.count)
            state.contents.room = claim.room
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

    /// Sets the size of the whole source in bytes. Later calls have no effect.
    package func setSize(_ size: Int) {
        update { contents in
            if contents.ending == nil, contents.size == nil { contents.size = size }
        }
    }

    /// Ends the file: no more bytes will come. Later calls have no effect.
    package func end(_ ending: Ending) {
        update { contents in
            guard contents.ending == nil else { return }
            contents.ending = ending
            if ending == .whole { contents.size = contents.present.prefixCount }
        }
        let (storage, lease) = state.withLock { ($0.isView ? nil : $0.storage, $0.lease) }
        guard let storage else { return }
        // Sealing twice is harmless. Bytes that a decoder has read cannot change afterwards, whoever holds a
        // descriptor.
        clinux_seal_content(storage.descriptor)
        // What was reserved and not written is free at once.
        lease?.settle()
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

    // MARK: - Memory

    /// Reserves memory for `byteCount` further bytes, which is all that the writer will write for now. They may be
    /// written once there is room.
    ///
    /// Throws if the file can never have that many bytes.
    package func announce(_ byteCount: Int) throws(AttachmentFailure) {
        guard let lease = state.withLock(\.lease) else { return }
        try lease.announce(min(max(0, byteCount), byteLimit))
        roomHasChanged()
    }

    /// Returns whether `byteCount` further bytes may be written now. If not, the file waits for memory, and
    /// ``SourceContents/roomCount`` changes when it has got some; a file that can never have so many is cut.
    package func makeRoom(for byteCount: Int) -> Bool {
        let (lease, hasLostBytes) = state.withLock { ($0.lease, $0.contents.hasLostBytes) }
        guard let lease else { return true }
        return !hasLostBytes && lease.makeRoom(for: byteCount)
    }

    /// Waits until `byteCount` further bytes may be written. Returns `false` if they never may: the file has ended, or
    /// the task is cancelled.
    package func room(for byteCount: Int) async -> Bool {
        while true {
            let seen = contents
            guard seen.ending == nil, !Task.isCancelled else { return false }
            if seen.hasLostBytes {
                await waitForRoom()
            } else if makeRoom(for: byteCount) {
                return true
            } else {
                _ = await contents { $0.roomCount != seen.roomCount || $0.hasLostBytes || $0.ending != nil }
            }
        }
    }

    /// Waits until a file that has lost its bytes may begin again, has ended, or the task is cancelled.
    package func waitForRoom() async {
        let contents = await contents { !$0.hasLostBytes || $0.room > 0 || $0.ending != nil }
        if contents.room > 0 { update { $0.hasLostBytes = false } }
    }

    /// Releases the memory of all bytes. The file ends, if it has not ended yet; later reads and writes find no bytes.
    package func release() {
        end(.cut(Self.released))
        // The bytes go before their part of the budget, which others get at once.
        let lease = state.withLock { state in
            state.storage = nil
            defer { state.lease = nil }
            return state.lease
        }
        _ = lease
    }

    private static let released = AttachmentFailure(.download, .cancelled, "The download was no longer needed.")

    /// Takes over the room that the budget gives.
    func roomHasChanged() {
        change { state in
            guard let claim = state.lease?.claim else { return }
            state.contents.room = claim.room
            state.contents.roomCount = claim.grantCount
        }
    }

    /// Frees the bytes, unless a decoder has opened the file or it has ended. Returns whether they are gone.
    func loseBytes() -> Bool {
        let storage = state.withLock { state -> Storage? in
            guard state.contents.ending == nil, let claim = state.lease?.claim, !claim.isKept else { return nil }
            state.contents.hasLostBytes = true
            state.contents.room = 0
            state.contents.present = ByteRanges()
            claim.setWritten(0)
            return state.storage
        }
        guard let storage else { return false }
        clinux_discard_content(storage.descriptor)
        update { _ in }
        return true
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
        let (contents, storage) = state.withLock { ($0.contents, $0.storage) }
        guard let storage, let there = contents.present.range(at: range.lowerBound)?.clamped(to: range) else {
            return []
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: there.count) { buffer, filled in
            filled = max(0, unsafe pread(storage.descriptor, buffer.baseAddress, there.count, off_t(there.lowerBound)))
        }
    }

    /// Opens a read-only descriptor of the same bytes for a decoder process. The caller closes it.
    package func openReadOnly() throws(AttachmentFailure) -> Int32 {
        let storage = state.withLock { state in
            state.lease?.claim.setOpened()
            return state.storage
        }
        guard let storage else { throw Self.released }
        let copy = unsafe open("/proc/self/fd/\(storage.descriptor)", O_RDONLY | O_CLOEXEC)
        guard copy >= 0 else {
            let message = "The worker cannot open the download for a decoder. Raise its limit of open files."
            throw AttachmentFailure(.decode, .resourceLimit, message)
        }
        return copy
    }

    /// Changes the contents, then wakes the waiters outside the lock.
    private func update(_ change: (inout SourceContents) -> Void) { self.change { change(&$0.contents) } }

    private func change(_ change: (inout State) -> Void) {
        let (due, contents) = state.withLock { state in
            change(&state)
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

// MARK: - Contents

/// The state of a source at one moment, and the range that its reader wants.
package struct SourceContents: Sendable, Equatable {
    package internal(set) var present = ByteRanges()
    /// The size of the whole source in bytes, once that is known.
    package internal(set) var size: Int?
    package internal(set) var ending: MediaFile.Ending?
    /// The range that the reader waits for or will read next. It may go beyond the end of the source.
    package internal(set) var wanted = 0..<1
    /// The instant at which the last bytes came.
    package internal(set) var lastArrival: Instant?
    /// The bytes that may still be written before more memory is reserved.
    package internal(set) var room = Int.max
    /// The number of times that the file got room after its writer had waited for it.
    package internal(set) var roomCount = 0
    /// A Boolean value that indicates whether the bytes were taken back, because others needed the memory. The writer
    /// begins again once there is room.
    package internal(set) var hasLostBytes = false

    /// Returns whether every byte of `range` is there, as far as the source reaches.
    package func has(_ range: Range<Int>) -> Bool { present.contains(range.clamped(to: 0..<(size ?? .max))) }

    /// The first part of the wanted range that is not there.
    package var missing: Range<Int>? { present.firstGap(in: wanted.clamped(to: 0..<(size ?? .max))) }

    /// A Boolean value that indicates whether the size is known and every byte is there.
    package var isComplete: Bool { size.map { present.contains(0..<$0) } ?? false }
}

package import Base
package import Files
import Glibc
package import Media
import Synchronization

/// The store of attachments. It writes only below one folder.
///
/// `tmp/` holds unfinished files, in one folder for each process. `attachments/` holds ready files. They are moved in
/// by rename after they were written to the disk, so that readers never see a partial file. The store owns its files.
/// It removes them when they expire or, oldest first, when the quota is reached, but never while they are read. Folders
/// have the mode 0700 and files 0600, unless a group may read the ready files. The store makes all names itself and never
/// takes one from a payload, a URL or a header.
///
/// The files themselves are the index: their names, sizes and modification times. The index in memory is built from
/// them at start and at each sweep, so several processes may share a store.
package final class AttachmentStore: Sendable {
    /// A ready file.
    package struct File: Sendable, Equatable {
        package var identifier: AttachmentIdentifier
        package var path: String
        package var sha256: String
        /// The time at which the file expires. It may be removed earlier if the quota is reached.
        package var expires: UnixTime
    }

    /// The number and the size of the store's files.
    package struct Usage: Sendable, Equatable {
        package var fileCount: Int
        package var byteCount: Int
    }

    /// The command line's option that names the store, for the advice of errors.
    static let option = "--store"

    package let root: String
    package let retention: Retention
    /// The keys for names and URLs. They may be replaced at any time.
    package let keyring: Replaceable<SigningKeys>
    package var keys: SigningKeys { keyring.current }
    /// The group that may read ready files, and nothing else; `nil` for none.
    private let group: SystemGroup?
    private let directory: Directory
    private let attachments: Directory
    private let forgotten: ForgottenNames
    private let sources: SourceIndex
    private let scratch: ScratchDirectory
    private let index = Mutex(AttachmentIndex())
    private let now: @Sendable () -> UnixTime
    private let recorder: any EventRecorder<StoreEvent>
    /// The threads for file access, which can wait for the disk without an end. Nothing else waits with them: the index is
    /// locked for memory only.
    private let disk = WorkThreads("store", limit: 16)
    /// The one thread for all that needs the lock of `attachments/`, which another process can hold.
    private let locker = WorkThreads("store lock", limit: 1)
    private let heartbeats: [LoopHeartbeat]

    /// Opens the store at `path`, or creates it, and removes expired files and the files of crashed processes in
    /// `tmp/`. Without `keys`, the store uses its own, which it makes at its first start; `hasGroupReadableKeys` allows
    /// the group of their file to read them. `group` may read ready files. Refuses files and folders of another user.
    package init(
        at path: String,
        keys: SigningKeys? = nil,
        hasGroupReadableKeys: Bool = false,
        group: SystemGroup? = nil,
        retention: Retention = Retention(),
        now: @escaping @Sendable () -> UnixTime = { .now },
        recorder: any EventRecorder<StoreEvent> = NoRecorder<StoreEvent>(),
    ) throws(FileError) {
        directory = try Directory.create(path, option: Self.option)
        root = directory.path
        self.group = group
        heartbeats = [disk, locker].map { threads in
            LoopHeartbeat("store", needsDisk: true) { threads.append($0) }
        }
        self.retention = retention
        self.now = now
        self.recorder = recorder
        self.attachments = try directory.subdirectory("attachments".utf8)
        try attachments.checkEntries()
        if let group {
            try directory.admit(group)
            try attachments.share(with: group) { AttachmentIdentifier($0) != nil }
        }
        let scratchFolders = try directory.subdirectory("tmp".utf8)
        try scratchFolders.checkEntries()
        self.scratch = try ScratchDirectory(in: scratchFolders)
        let current: SigningKeys
        if let keys {
            current = keys
        } else {
            let scratch = scratch.directory
            current = try SigningKeys(in: directory, by: scratch, isGroupReadable: hasGroupReadableKeys)
        }
        keyring = Replaceable(current)
        let forgottenNames = try directory.subdirectory("forgotten".utf8)
        try forgottenNames.checkEntries()
        forgotten = ForgottenNames(in: forgottenNames)
        sources = try SourceIndex(in: directory, keys: keyring, retention: retention)
        reconcile(listed)
        sweepLists()
        // A later sweep removes them if another process has the lock.
        for identifier in expired { try? removeExpired(identifier, waiting: false) }
    }

    /// Returns whether a live process works with the store at `path`.
    package static func isInUse(at path: String) -> Bool {
        guard let parent = try? Directory.create(path, option: option).subdirectory("tmp".utf8) else { return false }
        return ScratchDirectory.isInUse(parent)
    }

    package var usage: Usage {
        index.withLock { Usage(fileCount: $0.entries.count, byteCount: $0.byteCount) }
    }

    /// The path of the store's own key file.
    package var keyFile: String { "\(root)/\(SigningKeys.fileName)" }

    /// Returns the URLs of the store's files for clients that reach the sidecar at `publicURL`.
    package func urls(below publicURL: String) -> AttachmentURLs {
        AttachmentURLs(publicURL: publicURL, signer: URLSigner(keys: keyring))
    }

    /// Moves an output into the store, completely or not at all, and records the source that it was made from.
    package func store(_ rung: ReadyRung, of source: String? = nil) async throws(AttachmentFailure) -> File {
        do throws(FileError) {
            return try await write(rung, of: source)
        } catch {
            // The store did not fail if the attachment was taken back.
            if error.code != ECANCELED { recorder.record(.failed(isFull: error.isFull)) }
            throw error.attachmentFailure
        }
    }

    /// Renews a ready file as if it were stored now. Returns its new expiry, or `nil` if it no longer exists.
    package func renew(_ identifier: AttachmentIdentifier) async -> UnixTime? {
        if let expiry = presentExpiry(of: identifier) { return expiry }
        let now = now()
        let isThere = try? await locker.access(root) { [self] () throws(FileError) in try touch(identifier, at: now) }
        return isThere == true ? now + retention.keep : nil
    }

    /// Returns the expiry of a file that was stored or renewed in this second; `nil` for any other. A popular file is touched
    /// once a second at most, and URLs expire on whole seconds, too.
    package func presentExpiry(of identifier: AttachmentIdentifier) -> UnixTime? {
        let stored = index.withLock { $0.entries[identifier]?.stored }
        return stored.flatMap { $0.seconds >= now().seconds ? $0 + retention.keep : nil }
    }

    package func path(of identifier: AttachmentIdentifier) -> String { "\(attachments.path)/\(identifier)" }

    /// Returns a hold on a ready file, or `nil` if the file does not exist. The file stays until the hold is released
    /// or has timed out.
    package func startAccessing(_ identifier: AttachmentIdentifier) async throws(FileError) -> AttachmentHold? {
        let now = now()
        guard !forgotten.contains(identifier, at: now) else { return nil }
        let end = now + retention.longestLease
        if let lease = index.withLock({ $0.entries[identifier]?.lease }) {
            lease.extend(until: end)
            return lease
        }
        return try await disk.access(root) { [self] () throws(FileError) in
            guard let (descriptor, status) = try attachments.openFile(identifier.description.utf8) else {
                index.withLock { $0.remove(identifier) }
                return nil
            }
            let lease = AttachmentHold(identifier, adopting: descriptor, status, until: end)
            return index.withLock { index in
                // Another reader was faster.
                if let lease = index.entries[identifier]?.lease { return lease }
                // Another process may have stored it since the last sweep.
                return index.lend(lease, stored: status.modified) ? lease : nil
            }
        }
    }

    /// Takes a file back: removes it, and refuses its links and its content until the last link to it would have
    /// expired.
    package func forget(_ identifier: AttachmentIdentifier) async throws(FileError) {
        // A link expires on a whole second.
        let end = now() + retention.keep + .seconds(1)
        try await disk.access(root, evenIfCancelled: true) { [forgotten] () throws(FileError) in
            try forgotten.insert(identifier, until: end)
        }
        try await locker.access(root, evenIfCancelled: true) { [self] () throws(FileError) in
            try attachments.locked { () throws(FileError) in
                if attachments.status(of: identifier) != nil {
                    try attachments.remove(identifier.description.utf8)
                }
            }
            index.withLock { $0.remove(identifier) }
        }
        try await disk.access(root, evenIfCancelled: true) { [attachments] () throws(FileError) in
            try attachments.sync()
        }
    }

    /// Returns whether the file is in the store, as far as this process knows.
    package func has(_ identifier: AttachmentIdentifier) -> Bool { index.withLock { $0.entries[identifier] != nil } }

    /// Returns whether this process knows that the file was taken back. Reads no disk.
    package func knowsForgotten(_ identifier: AttachmentIdentifier) -> Bool {
        forgotten.contains(identifier, at: now())
    }

    /// Returns whether the file was taken back and links to it may still exist.
    package func isForgotten(_ identifier: AttachmentIdentifier) async -> Bool {
        if knowsForgotten(identifier) { return true }
        let now = now()
        let answer = await disk.perform(evenIfCancelled: true) { [forgotten] in
            forgotten.containsAnywhere(identifier, at: now)
        }
        return answer ?? false
    }

    /// Records that a file was made from a source. Call it before returning the file's URL to a client.
    package func record(_ identifier: AttachmentIdentifier, of source: String) async throws(FileError) {
        let now = now()
        try await disk.access(root, evenIfCancelled: true) { [sources] () throws(FileError) in
            try sources.insert(identifier, of: source, at: now)
        }
    }

    /// Returns the files that were made from a source, as long as copies of them may exist.
    package func files(of source: String) async throws(FileError) -> [AttachmentIdentifier] {
        try await disk.access(root, evenIfCancelled: true) { [sources] () throws(FileError) in
            try sources.files(of: source)
        }
    }

    /// Updates the index with the changes of other processes, and removes expired files. Ends early if the task is
    /// cancelled; a later sweep repeats what failed.
    package func sweep() async {
        let done = OneShot<Void>()
        let sweeping = Task { [self] in
            defer { done.set() }
            guard let names = await disk.perform({ [self] in listed }),
                await locker.perform({ [self] in reconcile(names) }) != nil
            else { return }
            await disk.perform { [self] in sweepLists() }
            for identifier in expired {
                try? await locker.access(root) { [self] () throws(FileError) in try removeExpired(identifier) }
            }
        }
        if await done.value() == nil { sweeping.cancel() }
    }

    /// Returns the lines of a small file that `keep` wrote, none if it cannot be read. Waits for the disk.
    package func lines(in name: String) -> [String] {
        guard let (file, _) = try? directory.openFile(name.utf8) else { return [] }
        defer { close(file) }
        return ((try? FileContent.readAllText(file)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Replaces a small file by these lines. A crash of the machine may lose them.
    package func keep(_ lines: [String], in name: String) async throws(FileError) {
        try await disk.access(root) { [directory, scratch] () throws(FileError) in
            let unfinished = Base32.random()
            let file = try scratch.directory.createFile(unfinished.utf8)
            defer { close(file) }
            try FileContent.write(lines.reduce(into: []) { $0 += Array("\($1)\n".utf8) }, to: file, named: name)
            try scratch.directory.move(unfinished.utf8, to: directory, as: name.utf8)
        }
    }

    /// Writes a small file like an attachment, and takes the lock. Throws if the store is full or not writable. Waits for as
    /// long as the disk or another process makes it wait.
    package func checkWritable() async throws(FileError) {
        try await disk.access(root) { [self] () throws(FileError) in try writeByte() }
        try await locker.access(root) { [attachments] () throws(FileError) in try attachments.locked {} }
    }

    private func writeByte() throws(FileError) {
        try checkFreeSpace(for: 1)
        let now = now()
        let hasRoom = index.withLock { $0.hasRoom(for: 1, room, at: now) }
        guard hasRoom else { throw .quotaReached(retention.quota, path: root) }
        let name = Base32.random()
        let file = try scratch.directory.createFile(name.utf8)
        defer {
            close(file)
            try? scratch.directory.remove(name.utf8)
        }
        try FileContent.write([UInt8(ascii: "\n")], to: file, named: Self.fileName)
    }

    /// Does work that may wait for the disk, on a thread of the store.
    package func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(FileError) -> Value {
        try await disk.access(root) { () throws(FileError) in work() }
    }

    /// The name of a file in errors.
    private static let fileName = "an attachment"

    private func write(_ rung: ReadyRung, of source: String?) async throws(FileError) -> File {
        let (stored, scratchName) = (now(), Base32.random())
        let sha256 = try await disk.access(root) { [self] () throws(FileError) in
            try copy(rung, to: scratchName, at: stored)
        }
        let identifier = AttachmentIdentifier(sha256: sha256, format: rung.report.format.media, key: keys.current)
        let byteCount = rung.report.byteCount
        do throws(FileError) {
            try await locker.access(root) { [self] () throws(FileError) in
                try moveIn(scratchName, as: identifier, byteCount: byteCount, stored: stored)
            }
        } catch {
            disk.append { [scratch] in try? scratch.directory.remove(scratchName.utf8) }
            throw error
        }
        try await disk.access(root, evenIfCancelled: true) { [attachments, sources] () throws(FileError) in
            try attachments.sync()
            if let source { try sources.insert(identifier, of: source, at: stored) }
        }
        let expires = stored + retention.keep
        return File(identifier: identifier, path: path(of: identifier), sha256: sha256, expires: expires)
    }

    /// Writes an output to the disk as an unfinished file. Returns its SHA-256.
    private func copy(_ rung: ReadyRung, to name: String, at stored: UnixTime) throws(FileError) -> String {
        let byteCount = rung.report.byteCount
        try checkFreeSpace(for: byteCount)
        let file = try scratch.directory.createFile(name.utf8)
        defer { close(file) }
        do throws(FileError) {
            let sha256 = try FileContent.copy(byteCount, from: rung.file.descriptor, to: file, named: Self.fileName)
            if let group { try scratch.directory.share(file: file, with: group) }
            try FileContent.finish(file, named: Self.fileName, changed: stored)
            return sha256
        } catch {
            try? scratch.directory.remove(name.utf8)
            throw error
        }
    }

    /// The rules for ready files: what the index of sources takes is not theirs.
    private var room: Retention {
        var room = retention
        room.quota -= sources.byteCount
        return room
    }

    private func checkFreeSpace(for byteCount: Int) throws(FileError) {
        let disk = try attachments.diskSpace()
        let floor = retention.freeSpaceFloor(ofDisk: disk.size)
        guard disk.free - byteCount >= floor else { throw .diskNearlyFull(floor: floor, path: root) }
    }

    // MARK: - On the thread that takes the lock

    /// Moves a file in, replacing an older one with the same content. Removes other files if the quota requires it.
    private func moveIn(
        _ scratchName: String,
        as identifier: AttachmentIdentifier,
        byteCount: Int,
        stored: UnixTime,
    ) throws(FileError) {
        let victims = index.withLock { $0.makingWay(for: identifier, byteCount: byteCount, room, at: stored) }
        guard let victims else { throw .quotaReached(retention.quota, path: root) }
        for victim in victims {
            try remove(victim, because: .madeWay) { [retention] in $0.mayMakeWay(retention, at: stored) }
        }
        try attachments.locked { () throws(FileError) in
            guard !forgotten.containsAnywhere(identifier, at: stored) else {
                throw .forgotten(path: path(of: identifier))
            }
            try scratch.directory.move(scratchName.utf8, to: attachments, as: identifier.description.utf8)
        }
        index.withLock { $0.insert(identifier, byteCount: byteCount, stored: stored) }
        recorder.record(.stored(byteCount: byteCount))
    }

    /// Updates the file's modification time. Returns whether the file exists. Another process that is about to remove
    /// the file sees that it is new.
    private func touch(_ identifier: AttachmentIdentifier, at now: UnixTime) throws(FileError) -> Bool {
        let status = try attachments.locked { () throws(FileError) in
            attachments.touch(identifier.description.utf8, at: now) ? attachments.status(of: identifier) : nil
        }
        index.withLock { $0.update(identifier, status, stored: now) }
        return status != nil
    }

    /// Removes a file that `isDue`, unless it got a reader or another process has just stored it again.
    private func remove(
        _ identifier: AttachmentIdentifier,
        because reason: StoreEvent.Removal,
        waiting: Bool = true,
        if isDue: @Sendable (AttachmentIndex.Entry) -> Bool,
    ) throws(FileError) {
        try attachments.locked(waiting: waiting) { () throws(FileError) in
            // Looked at under the lock: it may have been renewed since.
            let status = attachments.status(of: identifier)
            let byteCount = index.withLock { index in
                guard let entry = index.entries[identifier] else { return nil as Int? }
                if let status, status.modified > entry.stored {
                    index.update(identifier, status, stored: status.modified)
                }
                return index.close(identifier, if: isDue)
            }
            guard let byteCount else { return }
            if status != nil { try? attachments.remove(identifier.description.utf8) }
            index.withLock { $0.remove(identifier) }
            recorder.record(.removed(reason, byteCount: byteCount))
        }
    }

    private func removeExpired(_ identifier: AttachmentIdentifier, waiting: Bool = true) throws(FileError) {
        let now = now()
        try remove(identifier, because: .expired, waiting: waiting) { [retention] in $0.isExpired(retention, at: now) }
    }

    /// Rebuilds the index from the names in the folder. Ignores files that attachd did not make.
    private func reconcile(_ names: Set<AttachmentIdentifier>) {
        for identifier in names.symmetricDifference(index.withLock { Set($0.entries.keys) }) {
            let status = attachments.status(of: identifier)
            index.withLock { $0.update(identifier, status, stored: status?.modified ?? now()) }
        }
    }

    // MARK: - Sweeping

    private var listed: Set<AttachmentIdentifier> { Set(attachments.names.compactMap { AttachmentIdentifier($0) }) }

    private var expired: [AttachmentIdentifier] {
        let now = now()
        return index.withLock { $0.expired(retention, at: now) }
    }

    private func sweepLists() {
        let now = now()
        forgotten.sweep(at: now)
        try? sources.sweep(at: now)
    }
}

extension stat {
    /// The time of the last change of the content.
    var modified: UnixTime { UnixTime(seconds: st_mtim.tv_sec, nanoseconds: st_mtim.tv_nsec) }
}

// MARK: - Events

/// An event of the store, for metrics and logs.
package enum StoreEvent: Sendable, Equatable {
    package enum Removal: String, Sendable, CaseIterable {
        /// The file had expired.
        case expired
        /// The file was removed because the quota was reached.
        case madeWay
    }

    case stored(byteCount: Int)
    case removed(Removal, byteCount: Int)
    /// An attachment was not stored. `isFull` tells whether the reason is a lack of disk space.
    case failed(isFull: Bool)
}

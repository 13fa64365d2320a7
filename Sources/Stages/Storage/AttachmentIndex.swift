import Base
import Files
import Glibc
package import Media

/// An in-memory index of the ready files. The files are authoritative; the index can be rebuilt from them at any time.
struct AttachmentIndex {
    struct Entry {
        var byteCount: Int
        var stored: UnixTime
        /// The hold of the file's readers.
        weak var lease: AttachmentHold?
        /// A Boolean value that indicates whether the file is about to be removed, and takes no readers any more.
        var isClosed = false
    }

    private(set) var entries: [AttachmentIdentifier: Entry] = [:]
    private(set) var byteCount = 0

    /// Records a file. If it is known already, updates its time and keeps its readers.
    mutating func insert(_ identifier: AttachmentIdentifier, byteCount: Int, stored: UnixTime) {
        let known = entries[identifier]
        self.byteCount += byteCount - (known?.byteCount ?? 0)
        entries[identifier] = Entry(byteCount: byteCount, stored: stored, lease: known?.lease)
    }

    mutating func remove(_ identifier: AttachmentIdentifier) {
        byteCount -= entries.removeValue(forKey: identifier)?.byteCount ?? 0
    }

    /// Records what the disk says of a file.
    mutating func update(_ identifier: AttachmentIdentifier, _ status: stat?, stored: UnixTime) {
        guard let status else { return remove(identifier) }
        insert(identifier, byteCount: Int(status.st_size), stored: stored)
    }

    /// Records the hold of a file's readers. Returns `false` if the file was removed since it was opened, or is about to be.
    mutating func lend(_ lease: AttachmentHold, stored: UnixTime) -> Bool {
        guard entries[lease.identifier]?.isClosed != true, lease.isLinked else { return false }
        insert(lease.identifier, byteCount: lease.byteCount, stored: stored)
        entries[lease.identifier]?.lease = lease
        return true
    }

    /// Closes a file that `isDue` to readers, so that it can be removed. Returns its size in bytes, or `nil` if it stays.
    mutating func close(_ identifier: AttachmentIdentifier, if isDue: (Entry) -> Bool) -> Int? {
        guard let entry = entries[identifier], isDue(entry) else { return nil }
        entries[identifier]?.isClosed = true
        return entry.byteCount
    }

    /// Returns the expired files without readers.
    func expired(_ retention: Retention, at now: UnixTime) -> [AttachmentIdentifier] {
        entries.filter { $1.isExpired(retention, at: now) }.map(\.key)
    }

    /// Returns whether a new file of that size fits into the quota.
    func hasRoom(for newBytes: Int, _ retention: Retention, at now: UnixTime) -> Bool {
        var excess = byteCount + newBytes - retention.quota
        guard excess > 0 else { return true }
        for entry in entries.values where entry.mayMakeWay(retention, at: now) {
            excess -= entry.byteCount
            if excess <= 0 { return true }
        }
        return false
    }

    /// Returns the files to remove so that a new file fits into the quota: the oldest ones that have no readers and are
    /// not new. Returns `nil` if these are not enough.
    func makingWay(
        for newcomer: AttachmentIdentifier,
        byteCount newBytes: Int,
        _ retention: Retention,
        at now: UnixTime,
    ) -> [AttachmentIdentifier]? {
        // The new file replaces a file with the same content.
        var excess = byteCount + newBytes - (entries[newcomer]?.byteCount ?? 0) - retention.quota
        guard excess > 0 else { return [] }
        let old = entries.filter { identifier, entry in
            identifier != newcomer && entry.mayMakeWay(retention, at: now)
        }
        // Free a little more than needed, so that not every new file has to search all of them.
        let slack = retention.quota / 50
        var victims: [AttachmentIdentifier] = []
        for (identifier, entry) in old.sorted(by: { $0.value.stored < $1.value.stored }) {
            guard excess > 0 || entry.byteCount - excess <= slack else { break }
            excess -= entry.byteCount
            victims.append(identifier)
        }
        return excess > 0 ? nil : victims
    }
}

extension AttachmentIndex.Entry {
    func isExpired(_ retention: Retention, at now: UnixTime) -> Bool {
        stored + retention.keep <= now && !isLeased(at: now)
    }

    func mayMakeWay(_ retention: Retention, at now: UnixTime) -> Bool {
        stored + retention.protection <= now && !isLeased(at: now)
    }

    fileprivate func isLeased(at now: UnixTime) -> Bool { lease?.holds(at: now) == true }
}

// MARK: - Names

/// The name of a ready file in its folder and in its URL: 26 characters and the extension of its type.
///
/// The characters are a keyed hash of the content. The same content has one name and one file, however often it is
/// stored. Without the key, a name cannot be computed from a content, nor a content be recognized by its name. The
/// extension is needed because a device determines the type of an attachment by it.
package struct AttachmentIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let format: MediaFormat

    /// Makes the name of the content whose SHA-256 is `sha256`.
    init(sha256: String, format: MediaFormat, key: Secret<[UInt8]>) {
        let name = Base32.encode(KeyedHash.make("attachd attachment\n\(sha256)", key: key))
        description = "\(name).\(format.filenameExtension)"
        self.format = format
    }

    /// Reads a name from a folder or a URL. Returns `nil` if the text is not exactly a name that attachd makes.
    package init?(_ text: String) {
        // Check the length first, because text from a URL may be long.
        guard text.utf8.count <= Base32.length + 5, let dot = text.firstIndex(of: "."),
            Base32.isOurs(text[..<dot]), let format = Self.formats[String(text[text.index(after: dot)...])]
        else { return nil }
        description = text
        self.format = format
    }

    /// The formats by extension. Each extension belongs to one format, because the device sees only the extension.
    private static let formats = Dictionary(
        MediaFormat.allCases.map { ($0.filenameExtension, $0) },
        uniquingKeysWith: { first, _ in first }
    )
}

// MARK: - Retention

/// The rules for keeping ready files: their lifetime and their disk space.
package struct Retention: Sendable, Equatable {
    /// The lifetime of a file since it was last stored. Its URL expires with it.
    package var keep: Duration
    /// The maximum size of all ready files, in bytes.
    package var quota: Int
    /// The minimum age of a file that is removed to free space. The push of a younger file may still be on its way to
    /// phones.
    package var protection: Duration
    /// The maximum time for which a reader keeps a file in the store. A download takes seconds.
    package var longestLease: Duration
    /// The minimum free space of the disk, in bytes. `nil` means 256 MB, or a twentieth of a smaller disk.
    package var freeSpaceFloor: Int?

    package init(
        keep: Duration = .seconds(24 * 3600),
        quota: Int = 10_000_000_000,
        protection: Duration = .seconds(60),
        longestLease: Duration = .seconds(300),
        freeSpaceFloor: Int? = nil,
    ) {
        self.keep = keep
        self.quota = quota
        self.protection = protection
        self.longestLease = longestLease
        self.freeSpaceFloor = freeSpaceFloor
    }

    func freeSpaceFloor(ofDisk size: Int) -> Int { freeSpaceFloor ?? min(256_000_000, size / 20) }
}

import Timing

/// An in-memory index of the ready files. The files are authoritative; the index can be rebuilt from them at any time.
struct AttachmentIndex {
    struct Entry {
        var byteCount: Int
        var stored: UnixTime
        /// The hold of the file's readers.
        weak var lease: AttachmentHold?
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

    /// Records the hold of a file's readers.
    mutating func lend(_ lease: AttachmentHold) { entries[lease.identifier]?.lease = lease }

    /// Returns the expired files without readers.
    func expired(_ retention: Retention, at now: UnixTime) -> [AttachmentIdentifier] {
        entries.keys.filter { isExpired($0, retention, at: now) }
    }

    func isExpired(_ identifier: AttachmentIdentifier, _ retention: Retention, at now: UnixTime) -> Bool {
        entries[identifier].map { $0.stored + retention.keep <= now && !$0.isLeased(at: now) } ?? false
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
    fileprivate func mayMakeWay(_ retention: Retention, at now: UnixTime) -> Bool {
        stored + retention.protection <= now && !isLeased(at: now)
    }

    fileprivate func isLeased(at now: UnixTime) -> Bool { lease?.holds(at: now) == true }
}

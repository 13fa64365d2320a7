import Timing

/// What is ready, known without a look at the folder. The files are the truth: this can be made from them at any time.
struct AttachmentIndex {
    struct Entry {
        var byteCount: Int
        var stored: UnixTime
        /// Whoever reads the file holds it.
        weak var lease: AttachmentHold?
    }

    private(set) var entries: [AttachmentIdentifier: Entry] = [:]
    private(set) var byteCount = 0

    /// Notes a file. One that was there already is younger now, and who reads it goes on.
    mutating func insert(_ identifier: AttachmentIdentifier, byteCount: Int, stored: UnixTime) {
        let known = entries[identifier]
        self.byteCount += byteCount - (known?.byteCount ?? 0)
        entries[identifier] = Entry(byteCount: byteCount, stored: stored, lease: known?.lease)
    }

    mutating func remove(_ identifier: AttachmentIdentifier) {
        byteCount -= entries.removeValue(forKey: identifier)?.byteCount ?? 0
    }

    /// Lends the file of an entry to one more reader.
    mutating func lend(_ lease: AttachmentHold) { entries[lease.identifier]?.lease = lease }

    /// The files whose time has passed and that nobody reads.
    func expired(_ retention: Retention, at now: UnixTime) -> [AttachmentIdentifier] {
        entries.keys.filter { isExpired($0, retention, at: now) }
    }

    func isExpired(_ identifier: AttachmentIdentifier, _ retention: Retention, at now: UnixTime) -> Bool {
        entries[identifier].map { $0.stored + retention.keep <= now && !$0.isLeased(at: now) } ?? false
    }

    /// Whether a new file of that size could be stored within the quota.
    func hasRoom(for newBytes: Int, _ retention: Retention, at now: UnixTime) -> Bool {
        var excess = byteCount + newBytes - retention.quota
        guard excess > 0 else { return true }
        for entry in entries.values where entry.mayMakeWay(retention, at: now) {
            excess -= entry.byteCount
            if excess <= 0 { return true }
        }
        return false
    }

    /// The files that make way for a file within the quota: the oldest that nobody reads and that are not new. `nil` if
    /// all of those are not enough.
    func makingWay(
        for newcomer: AttachmentIdentifier,
        byteCount newBytes: Int,
        _ retention: Retention,
        at now: UnixTime,
    ) -> [AttachmentIdentifier]? {
        // The newcomer takes the place of a file with the same content.
        var excess = byteCount + newBytes - (entries[newcomer]?.byteCount ?? 0) - retention.quota
        guard excess > 0 else { return [] }
        let old = entries.filter { identifier, entry in
            identifier != newcomer && entry.mayMakeWay(retention, at: now)
        }
        // A little more goes where files are many, so that not every newcomer has to look through all of them.
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

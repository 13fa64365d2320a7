/// Values that may be used again. Bounded: what was not used for the longest time goes first.
struct ReuseTable<Key: Hashable, Value> {
    private struct Entry {
        var value: Value
        var byteCount: Int
        var lastUse: Int
    }

    private let entryLimit: Int
    private let byteLimit: Int
    private var entries: [Key: Entry] = [:]
    private var lastUse = 0
    private(set) var byteCount = 0

    init(entryLimit: Int, byteLimit: Int) {
        self.entryLimit = entryLimit
        self.byteLimit = byteLimit
    }

    var count: Int { entries.count }

    /// The value for `key`, which is used now.
    mutating func use(_ key: Key) -> Value? {
        lastUse += 1
        entries[key]?.lastUse = lastUse
        return entries[key]?.value
    }

    /// One that is larger than all may be together is not kept.
    mutating func insert(_ value: Value, for key: Key, byteCount newBytes: Int) {
        remove(key)
        guard newBytes <= byteLimit else { return }
        lastUse += 1
        entries[key] = Entry(value: value, byteCount: newBytes, lastUse: lastUse)
        byteCount += newBytes
        // Something was made for each that is inserted, which took longer than looking through a few thousand.
        while entries.count > entryLimit || byteCount > byteLimit,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            remove(oldest.key)
        }
    }

    mutating func removeAll(where isUnwanted: (Key, Value) -> Bool) {
        for (key, entry) in entries where isUnwanted(key, entry.value) { remove(key) }
    }

    mutating func remove(_ key: Key) { byteCount -= entries.removeValue(forKey: key)?.byteCount ?? 0 }
}

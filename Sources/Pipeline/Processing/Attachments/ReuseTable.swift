/// A bounded table of values for reuse. It removes the least recently used values first.
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

    /// Returns the value for `key` and marks it as used now.
    mutating func use(_ key: Key) -> Value? {
        lastUse += 1
        entries[key]?.lastUse = lastUse
        return entries[key]?.value
    }

    /// Inserts a value. A value larger than the whole table's limit is not kept.
    mutating func insert(_ value: Value, for key: Key, byteCount newBytes: Int) {
        remove(key)
        guard newBytes <= byteLimit else { return }
        lastUse += 1
        entries[key] = Entry(value: value, byteCount: newBytes, lastUse: lastUse)
        byteCount += newBytes
        // A linear search is fast enough: making a value takes longer than looking through a few thousand.
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

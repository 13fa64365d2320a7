/// A dictionary of limited size that knows the order in which its entries were used. When it is full, it evicts the
/// entries that were used least recently.
///
/// Only inserting an entry and `use` count as a use; the subscript and `update` do not. All operations on one entry take
/// constant time.
package struct BoundedTable<Key: Hashable, Value> {
    fileprivate struct Entry {
        var value: Value
        var byteCount: Int
        /// The neighbours in the order of use.
        var older: Key?
        var newer: Key?
    }

    private let entryLimit: Int
    private let byteLimit: Int
    private var entries: [Key: Entry] = [:]
    private var oldest: Key?
    private var newest: Key?
    /// The sum of the sizes that the entries were inserted with.
    package private(set) var byteCount = 0

    package init(entryLimit: Int = .max, byteLimit: Int = .max) {
        self.entryLimit = entryLimit
        self.byteLimit = byteLimit
    }

    package var count: Int { entries.count }

    /// The values, unordered.
    package var values: some Collection<Value> { entries.values.lazy.map(\.value) }

    /// The entries, the least recently used one first.
    package var oldestFirst: some Sequence<(key: Key, value: Value)> {
        sequence(state: oldest) { [entries] next in
            guard let key = next, let entry = entries[key] else { return nil }
            next = entry.newer
            return (key, entry.value)
        }
    }

    package subscript(key: Key) -> Value? { entries[key]?.value }

    /// Returns the value for `key`, and marks it as the most recently used one.
    package mutating func use(_ key: Key) -> Value? {
        guard let entry = entries[key] else { return nil }
        unlink(entry)
        link(entry, as: key)
        return entry.value
    }

    /// Changes the value for `key` in place. Returns `nil` if the table has no value for it.
    @discardableResult
    package mutating func update<Result, Failure>(
        _ key: Key,
        _ change: (inout Value) throws(Failure) -> Result,
    ) throws(Failure) -> Result? {
        guard let index = entries.index(forKey: key) else { return nil }
        return try change(&entries.values[index].value)
    }

    /// Inserts or replaces a value. A value larger than the whole table's limit is not kept.
    package mutating func insert(_ value: Value, for key: Key, byteCount newBytes: Int = 0) {
        remove(key)
        guard newBytes <= byteLimit else { return }
        link(Entry(value: value, byteCount: newBytes), as: key)
        byteCount += newBytes
        while entries.count > entryLimit || byteCount > byteLimit, let oldest { remove(oldest) }
    }

    package mutating func remove(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        unlink(entry)
        byteCount -= entry.byteCount
    }

    /// Removes entries in the order of use, as long as `isOver` holds. Where each insertion gives an entry the same time
    /// to live, these are the expired ones.
    package mutating func removeOldest(while isOver: (Key, Value) -> Bool) {
        while let key = oldest, let entry = entries[key], isOver(key, entry.value) { remove(key) }
    }

    package mutating func removeAll(where isUnwanted: (Key, Value) -> Bool) {
        for (key, entry) in entries where isUnwanted(key, entry.value) { remove(key) }
    }

    /// Adds an entry as the most recently used one.
    private mutating func link(_ entry: Entry, as key: Key) {
        var entry = entry
        (entry.older, entry.newer) = (newest, nil)
        if let newest { entries[newest]?.newer = key } else { oldest = key }
        newest = key
        entries[key] = entry
    }

    /// Joins the neighbours of an entry.
    private mutating func unlink(_ entry: Entry) {
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
extension BoundedTable.Entry: Sendable where Key: Sendable, Value: Sendable {}

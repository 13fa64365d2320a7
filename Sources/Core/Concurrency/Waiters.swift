/// A table of waiters, each with a note that says what it waits for. It is part of a state that a lock protects.
///
/// The methods only take waiters out. Resume them after the lock is released.
///
/// Closures stand where key paths could: the Swift runtime looks up a key path of a generic type at each use, which took a
/// seventh of the processor time of a download.
package struct Waiters<Note, Value: Sendable> {
    package struct Entry {
        package var note: Note
        package var waiter: Waiter<Value>
    }

    private var entries: [WaiterID: Entry] = [:]

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    package var notes: some Collection<Note> { entries.values.lazy.map { $0.note } }

    package mutating func add(_ waiter: Waiter<Value>, _ note: Note) {
        entries[waiter.id] = Entry(note: note, waiter: waiter)
    }

    /// Takes out one waiter. Returns `nil` if it is no longer in the table.
    package mutating func remove(_ id: WaiterID) -> Entry? { entries.removeValue(forKey: id) }

    /// Takes out the waiter that has waited longest. Looks at all of them.
    package mutating func removeFirst() -> Entry? { entries.keys.min().flatMap { remove($0) } }

    /// Takes out all waiters.
    package mutating func removeAll() -> [Waiter<Value>] {
        defer { entries = [:] }
        return entries.values.map { $0.waiter }
    }

    /// Takes out the waiters whose note satisfies a condition.
    package mutating func removeAll(where isDue: (Note) -> Bool) -> [Waiter<Value>] {
        guard !entries.isEmpty else { return [] }
        let due = entries.filter { isDue($0.value.note) }
        for id in due.keys { entries[id] = nil }
        return due.values.map { $0.waiter }
    }
}

extension Waiters where Note == Void {
    package mutating func add(_ waiter: Waiter<Value>) { add(waiter, ()) }
}

/// A priority queue whose elements can be moved and removed.
///
/// The element with the least key is there at once. Every change takes a time that grows with the logarithm of the number of
/// elements.
package struct IndexedHeap<Element: Hashable, Key: Comparable> {
    package typealias Entry = (element: Element, key: Key)

    private var entries: [Entry] = []
    private var positions: [Element: Int] = [:]

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    /// The element with the least key.
    package var first: Entry? { entries.first }
    package subscript(element: Element) -> Key? { positions[element].map { entries[$0].key } }

    /// Inserts an element, or moves it.
    package mutating func set(_ element: Element, to key: Key) {
        guard let position = positions[element] else {
            positions[element] = entries.count
            entries.append((element, key))
            return rise(from: entries.count - 1)
        }
        entries[position].key = key
        rise(from: position)
        sink(from: position)
    }

    @discardableResult
    package mutating func remove(_ element: Element) -> Key? {
        guard let position = positions.removeValue(forKey: element) else { return nil }
        let key = entries[position].key
        let last = entries.removeLast()
        if position < entries.count {
            entries[position] = last
            positions[last.element] = position
            rise(from: position)
            sink(from: position)
        }
        return key
    }

    package mutating func removeFirst() -> Entry? {
        guard let first else { return nil }
        remove(first.element)
        return first
    }

    private mutating func rise(from position: Int) {
        var position = position
        while position > 0, entries[position].key < entries[(position - 1) / 2].key {
            swap(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
    }

    private mutating func sink(from position: Int) {
        var position = position
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2] where child < entries.count {
                if entries[child].key < entries[least].key { least = child }
            }
            guard least != position else { return }
            swap(position, least)
            position = least
        }
    }

    private mutating func swap(_ a: Int, _ b: Int) {
        entries.swapAt(a, b)
        positions[entries[a].element] = a
        positions[entries[b].element] = b
    }
}

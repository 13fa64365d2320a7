import Base
import Testing

@Suite("A bounded table")
struct BoundedTableTests {
    @Test("the least recently used entry goes first")
    func entries() {
        var table = BoundedTable<Int, String>(entryLimit: 2)
        table.insert("one", for: 1)
        table.insert("two", for: 2)
        #expect(table.use(1) == "one")
        table.insert("three", for: 3)
        #expect(table[2] == nil)
        #expect(table[1] == "one" && table[3] == "three")
        #expect(table.count == 2)
    }

    @Test("only insertion and use count for the order, and not a look or a change")
    func order() {
        var table = BoundedTable<Int, Int>(entryLimit: 5)
        for key in 1...5 { table.insert(0, for: key) }
        #expect(table[1] == 0 && table.update(1) { $0 += 10 } != nil && table.update(9) { $0 += 1 } == nil)
        #expect(table.oldestFirst.map(\.key) == [1, 2, 3, 4, 5])
        #expect(table.use(3) == 0 && table.use(5) == 0 && table.use(1) == 10 && table.use(9) == nil)
        #expect(table.oldestFirst.map(\.key) == [2, 4, 3, 5, 1])
        table.insert(0, for: 4)
        table.insert(0, for: 6)
        #expect(table.oldestFirst.map(\.key) == [3, 5, 1, 4, 6])
    }

    @Test("its size is bounded in bytes: excess entries go, and one that is larger than the bound isn't added")
    func bytes() {
        var table = BoundedTable<Int, Int>(entryLimit: 10, byteLimit: 100)
        for key in 1...5 { table.insert(key, for: key, byteCount: 20) }
        #expect(table.byteCount == 100)
        table.insert(6, for: 6, byteCount: 50)
        #expect(table.byteCount == 90 && table.count == 3)
        #expect(table[3] == nil && table[4] == 4)
        table.insert(7, for: 7, byteCount: 101)
        #expect(table[7] == nil && table.count == 3)
    }

    @Test("a new value replaces the old one, and its bytes")
    func replacing() {
        var table = BoundedTable<Int, String>(entryLimit: 10, byteLimit: 100)
        table.insert("old", for: 1, byteCount: 80)
        table.insert("new", for: 1, byteCount: 30)
        #expect(table[1] == "new" && table.byteCount == 30 && table.count == 1)
        table.remove(1)
        table.remove(1)
        #expect(table.byteCount == 0 && table.count == 0 && table.oldestFirst.map(\.key).isEmpty)
    }

    @Test("entries with the same time to live expire in their order, and one that is inserted again lives longer")
    func time() {
        var table = BoundedTable<String, Int>()
        for (now, key) in ["a", "b", "c", "d", "b"].enumerated() { table.insert(now + 10, for: key) }
        table.removeOldest { $1 <= 12 }
        #expect(table.oldestFirst.map(\.key) == ["d", "b"])
        table.removeOldest { _, _ in true }
        #expect(table.count == 0)
        table.insert(1, for: "e")
        #expect(table.oldestFirst.map(\.key) == ["e"])
    }

    @Test("any order of operations keeps the same entries as a list of uses")
    func model() {
        var (table, model) = (BoundedTable<Int, Int>(entryLimit: 8, byteLimit: 40), [(key: Int, bytes: Int)]())
        for step in 0..<2000 {
            let (key, bytes) = (step &* 7919 % 23, step &* 104_729 % 11)
            switch step &* 31 % 5 {
            case 0, 1:
                table.insert(step, for: key, byteCount: bytes)
                model.removeAll { $0.key == key }
                model.append((key, bytes))
                while model.count > 8 || model.map(\.bytes).reduce(0, +) > 40 { model.removeFirst() }
            case 2:
                let isKnown = table.use(key) != nil
                #expect(isKnown == model.contains { $0.key == key })
                if let index = model.firstIndex(where: { $0.key == key }) { model.append(model.remove(at: index)) }
            case 3:
                table.remove(key)
                model.removeAll { $0.key == key }
            default:
                table.removeAll { other, _ in other % 11 == key % 11 }
                model.removeAll { $0.key % 11 == key % 11 }
            }
            #expect(table.oldestFirst.map(\.key) == model.map(\.key))
            #expect(table.byteCount == model.map(\.bytes).reduce(0, +) && table.count == model.count)
        }
    }
}

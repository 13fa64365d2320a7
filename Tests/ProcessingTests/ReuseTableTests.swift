import Testing
import Timing

@testable import Processing

@Suite("The table of reusable results")
struct ReuseTableTests {
    @Test("the least recently used entry goes first")
    func entries() {
        var table = ReuseTable<Int, String>(entryLimit: 2, byteLimit: 100)
        table.insert("one", for: 1, byteCount: 1)
        table.insert("two", for: 2, byteCount: 1)
        #expect(table.use(1) == "one")
        table.insert("three", for: 3, byteCount: 1)
        #expect(table.use(2) == nil)
        #expect(table.use(1) == "one" && table.use(3) == "three")
        #expect(table.count == 2)
    }

    @Test("its size is bounded in bytes: excess entries go, and one that is larger than the bound isn't added")
    func bytes() {
        var table = ReuseTable<Int, Int>(entryLimit: 10, byteLimit: 100)
        for key in 1...5 { table.insert(key, for: key, byteCount: 20) }
        #expect(table.byteCount == 100)
        table.insert(6, for: 6, byteCount: 50)
        #expect(table.byteCount == 90 && table.count == 3)
        #expect(table.use(3) == nil && table.use(4) == 4)
        table.insert(7, for: 7, byteCount: 101)
        #expect(table.use(7) == nil && table.count == 3)
    }

    @Test("a new value replaces the old one, and its bytes")
    func replacing() {
        var table = ReuseTable<Int, String>(entryLimit: 10, byteLimit: 100)
        table.insert("old", for: 1, byteCount: 80)
        table.insert("new", for: 1, byteCount: 30)
        #expect(table.use(1) == "new" && table.byteCount == 30 && table.count == 1)
        table.remove(1)
        table.remove(1)
        #expect(table.byteCount == 0 && table.count == 0)
    }
}

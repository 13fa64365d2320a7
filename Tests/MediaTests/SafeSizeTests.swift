import Media
import Testing

@Suite("Arithmetic on numbers from files")
struct SafeSizeTests {
    @Test("a product that has no place in an Int is nil", arguments: [(Int.max, 2), (1 << 40, 1 << 40), (-1, 5)])
    func product(left: Int, right: Int) {
        #expect(SafeSize.product(left, right) == nil)
        #expect(SafeSize.product(3, 4, 5) == 60)
    }

    @Test("a sum that has no place in an Int is nil", arguments: [(Int.max, 1), (5, -1)])
    func sum(left: Int, right: Int) {
        #expect(SafeSize.sum(left, right) == nil)
        #expect(SafeSize.sum(1, 2, 3) == 6)
    }
}

import Base
import Testing

@Suite("Permits by key")
struct KeyedPermitsTests {
    @Test("are as many as the limit, of which each key has at most its share")
    func shares() {
        var permits = KeyedPermits<String>(limit: 3)
        #expect(permits.take(for: "a", share: 2) == nil && permits.take(for: "a", share: 2) == nil)
        #expect(permits.take(for: "a", share: 2) == .overShare(2) && permits.refusal(for: "b", share: 2) == nil)
        #expect(permits.take(for: nil) == nil && permits.taken == 3)
        #expect(permits.take(for: "b", share: 2) == .full && permits.take(for: "a", share: 2) == .full)
        permits.giveBack(for: "a")
        #expect(permits.take(for: "a", share: 1) == .overShare(1) && permits.take(for: "a", share: 2) == nil)
    }

    @Test("that are taken back after they were lent may be too many for a while")
    func lent() {
        var permits = KeyedPermits<String>(limit: 1)
        #expect(permits.take(for: "a") == nil)
        permits.giveBack(for: "a")
        #expect(permits.take(for: "b") == nil)
        permits.takeAnyway(for: "a")
        #expect(permits.taken == 2)
        permits.giveBack(for: "b")
        #expect(permits.refusal(for: "c") == .full)
        permits.giveBack(for: "a")
        #expect(permits.refusal(for: "c", share: 1) == nil && permits.taken == 0)
    }
}

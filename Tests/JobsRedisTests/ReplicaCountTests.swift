import Testing
import Timing

@testable import JobsRedis

@Suite("The number of replicas that must confirm")
struct ReplicaCountTests {
    private let count = ReplicaCount()

    private func required(_ following: Int, of history: Substring = "a", at seconds: Int) -> Int {
        count.required(following: following, history: history, at: Instant(sinceOrigin: .seconds(seconds)))
    }

    @Test("at least one must, and each that joins counts at once", arguments: [(0, 1), (1, 1), (2, 2), (3, 3)])
    func joins(following: Int, expected: Int) {
        #expect(required(0, at: 0) == 1)
        #expect(required(following, at: 0) == expected)
    }

    @Test("one that left counts for five seconds more, from when it was first missed")
    func leaves() {
        #expect(required(2, at: 0) == 2)
        #expect(required(1, at: 100) == 2 && required(1, at: 104) == 2)
        #expect(required(1, at: 105) == 1)
        #expect(required(0, at: 200) == 1 && required(0, at: 300) == 1)
    }

    @Test("one that comes back in time is as if it had not left")
    func comesBack() {
        #expect(required(2, at: 0) == 2)
        #expect(required(1, at: 1) == 2 && required(2, at: 4) == 2)
        #expect(required(1, at: 6) == 2 && required(1, at: 10) == 2)
        #expect(required(1, at: 11) == 1)
    }

    @Test("the replicas of another primary are counted anew")
    func anotherPrimary() {
        #expect(required(2, at: 0) == 2)
        #expect(required(1, of: "b", at: 1) == 1)
    }
}

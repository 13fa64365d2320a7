import Base
import Testing

@testable import Media

@Suite("The division of memory among sources")
struct MemoryPoolTests {
    /// A pool behind a reference, because the macros of the tests cannot call mutating methods.
    private final class Pool {
        private var pool: MemoryPool

        init(byteLimit: Int, rule: MemoryPool.Rule = MemoryPool.Rule()) {
            pool = MemoryPool(byteLimit: byteLimit, rule: rule)
        }

        var heldBytes: Int { pool.heldBytes }
        var byteLimit: Int { pool.byteLimit }
        var smallLimit: Int { pool.smallLimit }
        var isWaitedFor: Bool { pool.isWaitedFor }

        subscript(id: Int) -> MemoryPool.Reservation? { pool[id] }
        func add(_ id: Int, most: Int, urgency: Instant) { pool.add(id, most: most, urgency: urgency) }
        func reserve(_ byteCount: Int, for id: Int) -> Bool { pool.reserve(byteCount, for: id) }
        func grow(_ id: Int, by byteCount: Int) -> Bool { pool.grow(id, by: byteCount) }
        func grant(at now: Instant) -> [MemoryPool.Change] { pool.grant(at: now) }
        func grantAtOnce(_ id: Int, at now: Instant) -> Bool { pool.grantAtOnce(id, at: now) }
        func update(_ id: Int, _ change: (inout MemoryPool.Reservation) -> Void) { pool.update(id, change) }
        func settle(_ id: Int) { pool.settle(id) }
        func gaveBack(_ id: Int) { pool.gaveBack(id) }
        func keep(_ id: Int) { pool.keep(id) }
        func end(_ id: Int) { pool.end(id) }
    }

    private static let mebibyte = 1_048_576
    private let start = Instant(sinceOrigin: .zero)

    /// A pool of 128 MiB, as in a container of 512 MB: 96 MiB for large sources, which are those over 2 MiB.
    private func pool() -> Pool { Pool(byteLimit: 128 * Self.mebibyte) }

    /// Adds a source of `size` MiB, due after `seconds`, and reserves all of it.
    private func reserve(_ size: Int, _ id: Int, due seconds: Int = 30, in pool: Pool) {
        pool.add(id, most: 100_000_000, urgency: start + .seconds(seconds))
        #expect(pool.reserve(size * Self.mebibyte, for: id))
        _ = pool.grantAtOnce(id, at: start)
    }

    private func holds(_ size: Int, _ id: Int, in pool: Pool) -> Bool { pool[id]?.granted == size * Self.mebibyte }

    @Test(
        "a quarter is for small sources, and the largest source is the rest",
        arguments: [64, 128, 256, 1024, 16_384]
    )
    func shares(size: Int) {
        let pool = MemoryPool(byteLimit: size * Self.mebibyte)
        #expect(pool.largest + pool.reserve == pool.byteLimit)
        #expect(pool.smallLimit * 4 <= pool.reserve)
        #expect(pool.smallLimit >= min(2, size / 16) * Self.mebibyte)
    }

    @Test("free memory is granted at once, all of a known size")
    func atOnce() {
        let pool = pool()
        reserve(39, 1, in: pool)
        reserve(39, 2, in: pool)
        #expect(holds(39, 1, in: pool) && holds(39, 2, in: pool) && !pool.isWaitedFor)
    }

    @Test("what is larger than the memory for one source is refused before it takes any")
    func tooLarge() {
        let pool = pool()
        pool.add(1, most: 200_000_000, urgency: start)
        #expect(!pool.reserve(97 * Self.mebibyte, for: 1))
        #expect(pool.reserve(96 * Self.mebibyte, for: 1))
        #expect(pool.grantAtOnce(1, at: start))
    }

    @Test("the most urgent source that waits gets memory first, whenever it came")
    func urgency() {
        let pool = pool()
        for id in 1...2 { reserve(39, id, in: pool) }
        for (id, seconds) in [(3, 20), (4, 5), (5, 10)] { reserve(39, id, due: seconds, in: pool) }
        #expect(pool.grant(at: start) == [])
        pool.end(1)
        #expect(pool.grant(at: start) == [.granted(4)])
        // The urgency is read anew at each decision.
        pool.update(3) { $0.urgency = start }
        pool.end(2)
        #expect(pool.grant(at: start) == [.granted(3)])
    }

    @Test("small sources have memory that large ones never get")
    func small() {
        let pool = pool()
        reserve(96, 1, in: pool)
        reserve(39, 2, due: 1, in: pool)
        for id in 3..<35 { reserve(1, id, in: pool) }
        #expect(pool.grant(at: start).count == 32)
        #expect((3..<35).allSatisfy { holds(1, $0, in: pool) } && !holds(39, 2, in: pool))
        #expect(pool.heldBytes == pool.byteLimit)
    }

    @Test("small sources take no more than their part from a large one that waits and is more urgent")
    func largeIsServed() {
        let pool = pool()
        for id in 1...100 { reserve(1, id, in: pool) }
        reserve(60, 1000, due: 1, in: pool)
        for id in 101...120 { reserve(1, id, in: pool) }
        #expect(pool.grant(at: start) == [])
        for id in 1...80 { pool.end(id) }
        #expect(pool.grant(at: start).first == .granted(1000))
    }

    @Test("a large source is passed a few times by others for which there is room, then it is its turn")
    func passes() {
        let pool = pool()
        for id in 1...2 { reserve(40, id, in: pool) }
        reserve(90, 3, due: 1, in: pool)
        for id in 4...30 { reserve(10, id, due: 9, in: pool) }
        var passing = 0
        for _ in 0..<30 {
            for case .granted(let id) in pool.grant(at: start) {
                if id == 3 { return }
                passing += 1
                pool.end(id)
            }
            #expect(passing <= 8)
            if passing == 8 { for id in 1...2 { pool.end(id) } }
        }
        Issue.record("The large source never had its turn.")
    }

    @Test("what has bytes goes on before what has none, even if that was passed often: nothing else would end")
    func holderGoesOn() {
        let pool = pool()
        reserve(60, 1, due: 1, in: pool)
        reserve(90, 2, due: 2, in: pool)
        for id in 3...12 {
            reserve(10, id, due: 3, in: pool)
            _ = pool.grant(at: start)
            pool.end(id)
        }
        // It has all that it announced, and needs more.
        pool.update(1) { $0.written = 60 * Self.mebibyte }
        pool.update(2) { $0.urgency = start }
        #expect(pool.grow(1, by: 1))
        #expect(pool.grant(at: start) == [.granted(1)])
    }

    @Test(
        "sources of unknown size grow only as far as all of them can be finished, and none is interrupted",
        arguments: [2, 36]
    )
    func growing(count: Int) {
        let pool = pool()
        let size = 39 * Self.mebibyte
        for id in 0..<count { pool.add(id, most: 100_000_000, urgency: start + .seconds(id % 7)) }
        var left = Set(0..<count)
        var rounds = 0
        while !left.isEmpty {
            rounds += 1
            guard rounds < 200_000 else { return #expect(Bool(false), "\(left.count) are left") }
            var hasMoved = false
            for id in left.sorted() {
                guard let reservation = pool[id] else { continue }
                if reservation.written >= size {
                    pool.end(id)
                    left.remove(id)
                    hasMoved = true
                } else if reservation.written < reservation.granted {
                    pool.update(id) { $0.written = min($0.granted, size) }
                    hasMoved = true
                } else if !reservation.isWaiting {
                    #expect(pool.grow(id, by: 16_384))
                    hasMoved = true
                }
            }
            for change in pool.grant(at: start) {
                hasMoved = true
                // Those of 2 MiB which have to wait for the place of a large one may have to give way to small ones.
                guard case .takesBack(let id) = change else { continue }
                #expect(pool[id].map { $0.held <= pool.smallLimit } ?? false)
                pool.gaveBack(id)
            }
            #expect(pool.heldBytes <= pool.byteLimit)
            guard hasMoved else { return #expect(Bool(false), "\(left.count) wait for ever") }
        }
    }

    @Test(
        "when all wait for each other, the least urgent gives its bytes back, or ends if a decoder reads them",
        arguments: [false, true]
    )
    func deadlock(isOpened: Bool) {
        let pool = pool()
        for id in 1...2 {
            reserve(48, id, due: id, in: pool)
            pool.update(id) {
                $0.written = 48 * Self.mebibyte
                $0.isOpened = isOpened
            }
        }
        // Both sources turn out to be larger than they said.
        for id in 1...2 { #expect(pool.grow(id, by: 1)) }
        #expect(pool.grant(at: start) == [isOpened ? .ends(2) : .takesBack(2)])
        if isOpened {
            #expect(pool[2]?.isWaiting == false)
            pool.end(2)
        } else {
            pool.gaveBack(2)
        }
        #expect(pool.grant(at: start) == [.granted(1)])
        pool.end(1)
        #expect(pool.grant(at: start) == (isOpened ? [] : [.granted(2)]))
    }

    @Test("an announced size holds memory only while bytes come")
    func promise() {
        let pool = pool()
        reserve(90, 1, in: pool)
        reserve(39, 2, in: pool)
        pool.update(1) { $0.written = 12 * Self.mebibyte }
        // At 6 MiB a second, the rest takes 13 of the 28 seconds that the other one has.
        #expect(pool.grant(at: start + .seconds(2)) == [])
        // At 4 MiB a second, it would take 19 of 27.
        #expect(pool.grant(at: start + .seconds(3)) == [.trimmed(1), .granted(2)])
        #expect(holds(12, 1, in: pool))
        // It goes on as a source of unknown size.
        #expect(pool.grow(1, by: 16_384))
        #expect(pool.grant(at: start + .seconds(3)) == [.granted(1)])
    }

    @Test("nobody loses what it has reserved while nobody waits")
    func paceDelay() {
        let pool = pool()
        reserve(90, 1, in: pool)
        #expect(pool.grant(at: start + .seconds(100)) == [])
        #expect(holds(90, 1, in: pool))
    }

    @Test("a finished source gives back what it had reserved and not written")
    func settles() {
        let pool = pool()
        reserve(90, 1, in: pool)
        pool.update(1) { $0.written = 5 }
        pool.settle(1)
        #expect(pool.heldBytes == 5)
    }

    @Test("only so many sources stay connected while they wait: the least urgent ones begin again later")
    func disconnecting() {
        var rule = MemoryPool.Rule()
        rule.waitingLimit = 3
        let pool = Pool(byteLimit: 128 * Self.mebibyte, rule: rule)
        reserve(90, 1, due: 10, in: pool)
        for id in 2...6 { reserve(39, id, due: 20 + id, in: pool) }
        #expect(pool.grant(at: start) == [.takesBack(6), .takesBack(5)])
        #expect(pool.grant(at: start) == [], "what is being taken back is not taken twice")
        pool.gaveBack(6)
        pool.gaveBack(5)
        #expect(pool.grant(at: start) == [], "what waits without a connection takes no place")
        pool.end(1)
        #expect(pool.grant(at: start) == [.granted(2), .granted(3)])
        pool.end(2)
        pool.end(3)
        #expect(pool.grant(at: start) == [.granted(4), .granted(5)], "it gets memory in its turn all the same")
    }

    @Test("a source whose bytes could not be taken back is not asked again: the answer would be the same for ever")
    func kept() {
        var rule = MemoryPool.Rule()
        rule.waitingLimit = 1
        let pool = Pool(byteLimit: 128 * Self.mebibyte, rule: rule)
        reserve(90, 1, due: 10, in: pool)
        for id in 2...3 { reserve(39, id, due: 20 + id, in: pool) }
        #expect(pool.grant(at: start) == [.takesBack(3)])
        pool.keep(3)
        #expect(pool.grant(at: start) == [.takesBack(2)])
        pool.keep(2)
        #expect(pool.grant(at: start) == [])
    }
}

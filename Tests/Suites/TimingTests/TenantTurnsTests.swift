import Testing

@testable import Base

@Suite("The turns of tenants")
struct TenantTurnsTests {
    private var turns = TenantTurns()

    /// Takes `count` turns among tenants that always wait, with these deadlines.
    private mutating func take(_ count: Int, among waiting: [String: Int]) -> [String] {
        (0..<count).compactMap { _ in
            let next = turns.next(among: waiting)
            if let next { turns.record(next) }
            return next
        }
    }

    @Test("nobody is next where nobody waits")
    func nobody() { #expect(turns.next(among: [String: Int]()) == nil) }

    @Test("the first job of a tenant goes at once, however long and urgent the line of another")
    mutating func newcomer() {
        #expect(take(1000, among: ["campaign": 1]).allSatisfy { $0 == "campaign" })
        #expect(turns.next(among: ["campaign": 1, "chat": 9]) == "chat")
    }

    @Test("tenants that always wait take one turn each, after the lead that urgency gives")
    mutating func alternate() {
        let taken = take(200, among: ["urgent": 1, "patient": 2])
        #expect(taken.prefix(TenantTurns.lead) == ArraySlice(repeating: "urgent", count: TenantTurns.lead))
        let rest = taken.dropFirst(TenantTurns.lead)
        #expect(abs(rest.count { $0 == "urgent" } - rest.count { $0 == "patient" }) <= 1)
    }

    @Test("no tenant is ever further ahead of a waiting one than the lead", arguments: 1...20)
    mutating func bounded(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let names = ["a", "b", "c", "d"]
        var taken = [0, 0, 0, 0]
        for _ in 0..<400 {
            let deadlines = names.map { _ in Int.random(in: 0..<100, using: &random) }
            let next = try #require(turns.next(among: Dictionary(uniqueKeysWithValues: zip(names, deadlines))))
            let index = try #require(names.firstIndex(of: next))
            turns.record(next)
            taken[index] += 1
            #expect((taken.max() ?? 0) - (taken.min() ?? 0) <= TenantTurns.lead)
        }
    }

    @Test("a burst of urgent jobs goes first, as far as the lead")
    mutating func burst() {
        let others = ["a": 300, "b": 300, "c": 300, "d": 300]
        _ = take(40, among: others)
        let taken = take(TenantTurns.lead, among: others.merging(["chat": 2]) { first, _ in first })
        #expect(taken == [String](repeating: "chat", count: TenantTurns.lead))
    }

    @Test("a tenant that comes back for every single job takes no more turns than one that always waits")
    mutating func returning() {
        _ = take(100, among: ["campaign": 1])
        var chat = 0
        for round in 0..<200 {
            // It waits only every other time.
            let waiting = round.isMultiple(of: 2) ? ["campaign": 1, "chat": 9] : ["campaign": 1]
            let next = take(1, among: waiting)
            chat += next == ["chat"] ? 1 : 0
        }
        #expect((90...101).contains(chat))
    }

    @Test("any number of tenants takes a bounded memory")
    mutating func memory() {
        for number in 0..<10_000 {
            let name = "tenant-\(number)"
            let next = turns.next(among: [name: 1])
            #expect(next == name)
            turns.record(name)
        }
        #expect(turns.count <= TenantLines.freeLimit + 1)
    }

    /// Counts how many of `count` turns two honest tenants get beside 1,000 names that somebody invents.
    private mutating func honestTurns(_ count: Int) -> (chat: Int, news: Int) {
        _ = take(20, among: ["chat": 9, "news": 9])
        var taken: [String] = []
        for round in 0..<count {
            var waiting = ["chat": 9, "news": 9]
            for number in 0..<1000 { waiting["evil-\(round)-\(number)"] = 1 }
            taken += take(1, among: waiting)
        }
        return (taken.count { $0 == "chat" }, taken.count { $0 == "news" })
    }

    @Test("names that the operator did not list share one turn, however many somebody invents")
    mutating func unlisted() {
        turns = TenantTurns(TenantLines(listed: ["chat", "news"]))
        let (chat, news) = honestTurns(300)
        // A third each, but for the lead that urgency gives.
        #expect(chat >= 90 && news >= 90, "\(chat), \(news)")
        #expect(turns.count <= 3)
    }

    @Test("where none is listed, those that take turns keep theirs, and only a few names have turns beside them")
    mutating func free() {
        let (chat, news) = honestTurns(900)
        let least = 900 / (TenantLines.freeLimit + 2) - TenantTurns.lead
        #expect(chat >= least && news >= least, "\(chat), \(news)")
        #expect(turns.count <= TenantLines.freeLimit + 1)
    }

    @Test("a list is ordered as its tenants take turns, and stays as it is for one tenant")
    mutating func list() {
        let alone = (1...5).map { ("a", $0) }
        #expect(turns.ordered(alone, limit: 9) { $0.0 }.map(\.1) == [1, 2, 3, 4, 5])
        for _ in 0..<20 { turns.record("a") }
        let items = alone + [("b", 6), ("b", 7)]
        #expect(turns.ordered(items, limit: 9) { $0.0 }.map(\.1) == [6, 1, 7, 2, 3, 4, 5])
        #expect(turns.ordered(items, limit: 1) { $0.0 }.map(\.1) == [6, 1, 2, 3, 4, 5, 7])
    }
}

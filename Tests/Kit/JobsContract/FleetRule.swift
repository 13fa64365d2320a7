import Base
package import Jobs
import Support
import Testing

/// A rule of every fleet's store, and its test. It gets two workers of one fleet that share nothing else.
package struct FleetRule: Sendable, CustomTestStringConvertible {
    package typealias Workers = (a: any FleetStore, b: any FleetStore)

    let text: String
    private let test: @Sendable (Workers) async throws -> Void

    package var testDescription: String { text }

    package func check(_ workers: Workers) async throws { try await test(workers) }

    private static let day = Duration.seconds(86_400)
    private static let longLease = Duration.seconds(600)

    package static let all = [
        FleetRule(text: "a source is taken back with the files that any worker recorded for it") { a, b in
            try await a.record("one.jpg", of: "source", for: day)
            try await b.record("two.jpg", of: "source", for: day)
            try await b.record("other.jpg", of: "another", for: day)
            #expect(Set(try await a.files(of: "source")) == ["one.jpg", "two.jpg"])
            let taken = try await a.takeBack(["own.jpg"], source: "source", for: day)
            #expect(taken.isKnown && Set(taken.mark.files) == ["own.jpg", "one.jpg", "two.jpg"])
            #expect(taken.mark.source == "source")
            // Work that began before may end after the mark.
            try await b.record("late.jpg", of: "source", for: day)
            #expect(try await a.files(of: "source").contains("late.jpg"))
        },
        FleetRule(text: "what nobody knows is marked all the same, and is known the next time") { a, b in
            let first = try await a.takeBack([], source: "source", for: day)
            #expect(!first.isKnown && first.mark.files.isEmpty)
            #expect(try await b.takeBack([], source: "source", for: day).isKnown)
            #expect(try await a.takeBack(["a.jpg"], source: nil, for: day).isKnown == false)
            #expect(try await b.takeBack(["a.jpg"], source: nil, for: day).isKnown)
            try await a.record("b.jpg", of: "another", for: day)
            #expect(try await b.takeBack(["b.jpg"], source: nil, for: day).isKnown)
        },
        FleetRule(text: "a worker gets the marks that it does not know yet, in their order") { a, b in
            let first = try await a.takeBack(["one.jpg", "two.jpg"], source: nil, for: day).mark
            let second = try await b.takeBack(["three.jpg"], source: "source", for: day).mark
            #expect(try await b.marks(after: .none, leaseTime: longLease) == [first, second])
            #expect(try await b.marks(after: first.version, leaseTime: longLease) == [second])
            #expect(try await b.marks(after: second.version, leaseTime: longLease) == [])
        },
        FleetRule(text: "a mark is known once every worker with a lease has asked after it") { a, b in
            let before = try await a.marks(after: .none, leaseTime: longLease)
            _ = try await b.marks(after: .none, leaseTime: longLease)
            #expect(before.isEmpty)
            let mark = try await a.takeBack(["one.jpg"], source: nil, for: day).mark
            #expect(try await a.workers(knowing: mark.version) == (2, 2))
            _ = try await a.marks(after: mark.version, leaseTime: longLease)
            // It has got the mark, but has not said that it knows it.
            #expect(try await b.marks(after: .none, leaseTime: longLease) == [mark])
            #expect(try await a.workers(knowing: mark.version) == (2, 1))
            _ = try await b.marks(after: mark.version, leaseTime: longLease)
            #expect(try await a.workers(knowing: mark.version) == (2, 0))
        },
        FleetRule(text: "nobody waits for a worker whose lease has ended, by itself or because it leaves") { a, b in
            _ = try await a.marks(after: .none, leaseTime: longLease)
            _ = try await b.marks(after: .none, leaseTime: .milliseconds(1))
            let mark = try await a.takeBack(["one.jpg"], source: nil, for: day).mark
            try await eventually { try await a.workers(knowing: mark.version).live == 1 }
            _ = try await a.marks(after: .none, leaseTime: nil)
            #expect(try await a.workers(knowing: mark.version) == (0, 0))
        },
        FleetRule(text: "an entry that one worker sets is there for all, and can be kept from being replaced") { a, b in
            #expect(try await a.entry("formats") == nil)
            try await a.keep([0, 255], as: "formats", onlyIfMissing: true)
            try await b.keep([1], as: "formats", onlyIfMissing: true)
            #expect(try await b.entry("formats") == [0, 255])
            try await b.keep([2], as: "formats", onlyIfMissing: false)
            #expect(try await a.entry("formats") == [2])
            #expect(try await a.entry("keys") == nil)
        },
        FleetRule(text: "a table has the values that any worker set, until it is removed") { a, b in
            try await a.set("one", in: "ready:a", to: [0, 255], for: day)
            try await b.set("two", in: "ready:a", to: [2], for: day)
            try await b.set("one", in: "ready:b", to: [3], for: day)
            #expect(try await b.value(of: "one", in: "ready:a") == [0, 255])
            #expect(try await a.value(of: "two", in: "ready:a") == [2])
            #expect(try await a.value(of: "three", in: "ready:a") == nil)
            try await a.remove(table: "ready:a")
            #expect(try await b.value(of: "two", in: "ready:a") == nil)
            #expect(try await b.value(of: "one", in: "ready:b") == [3])
        },
        FleetRule(text: "a table ends when the lifetime of its latest value is over") { a, b in
            try await a.set("one", in: "ready:a", to: [1], for: .milliseconds(1))
            try await eventually { try await b.value(of: "one", in: "ready:a") == nil }
        },
    ]
}
